/**
 * Prompts: what a person picks from a menu to have an agent remember, recall or
 * hand over. Each is shown where the tools that it needs are.
 *
 * @module
 */
import type { Tool } from "../tools/tool.ts";

/** An argument of a prompt; all are texts. */
interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

/** A prompt. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** The tools that it speaks of. */
  readonly needs: readonly string[];
  /** What the agent is told. */
  readonly write: (args: Readonly<Record<string, string>>) => string;
}

/** Longest argument, in characters. */
export const MAX_PROMPT_ARGUMENT = 10_000;

const PROMPTS: readonly Prompt[] = [
  {
    name: "remember",
    title: "Remember",
    description: "Keeps something for all later sessions",
    arguments: [{
      name: "what",
      description: "What to keep; the conversation so far when left out",
      required: false,
    }],
    needs: ["store_memory"],
    write: ({ what }) =>
      what === undefined
        ? "Look over our conversation for what later sessions should know: preferences, decisions with their reasons, facts about people and projects. Store each with store_memory, one item a fact, in words that are understood without this conversation. Leave out secrets and what is only of use today. Then list what you stored."
        : `Store this with store_memory, in words that are understood without this conversation, and leave out secrets. Then say what you stored:\n\n${what}`,
  },
  {
    name: "recall",
    title: "Recall",
    description: "Looks up what is remembered before a task begins",
    arguments: [{
      name: "task",
      description: "What the task is about",
      required: true,
    }],
    needs: ["recall_memory"],
    write: ({ task }) =>
      `Before you begin, call recall_memory with what this task is about, and again with other words where the first answer is thin. Say in a few lines what bears on it, and what you found nothing about. The task:\n\n${task}`,
  },
  {
    name: "hand_over",
    title: "Hand over",
    description: "Leaves this session's state for the next one",
    arguments: [{
      name: "collection",
      description: "Where to put it; the agent chooses when left out",
      required: false,
    }, {
      name: "to",
      description: "Who goes on, and with what",
      required: false,
    }],
    needs: ["list_root_collections", "put_root_record"],
    write: ({ collection, to }) =>
      [
        `Write a note with which the next session can go on${
          to === undefined ? "" : ` (${to})`
        }: the goal, what is done, what is open and what comes next, decisions with their reasons, files and commands that matter, what was tried in vain. Leave out secrets.`,
        collection === undefined
          ? "Call list_root_collections, choose the collection that fits, and put the note there with put_root_record under the key hand-over."
          : `Put it into the collection "${collection}" with put_root_record under the key hand-over; list_root_collections shows its schema.`,
        "Then say where it is.",
      ].join(" "),
  },
];

/** The prompts whose tools are among those that a connection sees. */
export function promptsOf(tools: readonly Tool[]): readonly Prompt[] {
  return PROMPTS.filter(({ needs }) =>
    needs.every((name) => tools.some((tool) => tool.name === name))
  );
}

/** A prompt as `prompts/list` shows it. */
export function describePrompt(
  { name, title, description, arguments: args }: Prompt,
): Omit<Prompt, "needs" | "write"> {
  return { name, title, description, arguments: args };
}

/** What is wrong with a prompt's arguments, or nothing. */
export function promptProblem(
  { name, arguments: known }: Prompt,
  args: Readonly<Record<string, string>>,
): string | undefined {
  const missing = known.find((one) => one.required && !args[one.name]?.trim());
  if (missing !== undefined) return `${name} needs "${missing.name}"`;
  const long = known.find((one) =>
    (args[one.name]?.length ?? 0) > MAX_PROMPT_ARGUMENT
  );
  return long === undefined
    ? undefined
    : `"${long.name}" has more than ${MAX_PROMPT_ARGUMENT} characters`;
}
