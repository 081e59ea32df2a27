/**
 * What of an event is searched: its text, and what it says around that. An
 * event of the engine carries its item's facts in an envelope.
 *
 * @module
 */
import { open } from "../../engine/item/envelope.ts";
import { text as asText } from "../../engine/item/json.ts";
import { textOf } from "../content.ts";
import type { LogObject } from "../port.ts";

/** An event, as far as it is searched. */
export interface SearchedEvent {
  /** Who wrote it. */
  readonly actor: string;
  /** Its content. */
  readonly content: LogObject;
  /** Its labels. */
  readonly labels: readonly string[];
}

/** The parts of an event. */
export interface SearchedParts {
  /** Its title. */
  readonly title: string;
  /** Tags, path and url. */
  readonly tags: string;
  /** Who speaks, and other facts around it. */
  readonly meta: string;
  /** What it rests on, however long. */
  readonly evidence: string;
  /** Its text. */
  readonly text: string;
  /** Whether the text begins where the content's does. */
  readonly isTextOfContent: boolean;
}

/** Takes an event apart. */
export function searchedPartsOf(event: SearchedEvent): SearchedParts {
  const { content, labels } = event;
  const text = textOf(content);
  const opened = open({ text, labels });
  const role = asText(content.role) ?? "";
  if (opened === undefined) {
    return {
      title: "",
      tags: labels.filter((label) => !label.startsWith("tm:")).join(" "),
      meta: [role, event.actor.replace(/^[a-z]+:/, "")].join(" "),
      evidence: "",
      text,
      isTextOfContent: typeof content.text === "string",
    };
  }
  const { envelope, isInText } = opened;
  const { meta } = envelope;
  return {
    title: asText(envelope.title) ?? "",
    tags: lines([
      ...(meta.tags ?? []),
      meta.filePath,
      meta.folder,
      meta.url,
      meta.repo,
      meta.source?.id,
    ]),
    meta: lines([
      asText(envelope.role),
      meta.agentId,
      meta.toolCall?.name,
      meta.threadId,
      meta.workspace,
      meta.commit,
      ...toolNames(envelope.tool_calls),
    ]),
    evidence: asText(envelope.evidence) ?? "",
    text: opened.text,
    isTextOfContent: !isInText,
  };
}

function toolNames(calls: unknown): readonly (string | undefined)[] {
  if (!Array.isArray(calls)) return [];
  return calls.map((call: unknown) =>
    typeof call === "object" && call !== null && "name" in call
      ? asText(call.name)
      : undefined
  );
}

function lines(texts: readonly (string | undefined)[]): string {
  return texts.filter((one) => one !== undefined).join("\n");
}
