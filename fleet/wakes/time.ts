/**
 * Times as callers write them: local time and a zone, never an offset.
 *
 * @module
 */
import { cutText } from "../../catalog/mod.ts";
import { badArgument } from "../sessions/texts.ts";

// No second 60: the calendar would take it as 59.
const LOCAL_REGEXP =
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:[0-5]\d(\.\d{1,9})?)?(Z)?$/;

/** A local time, and the instant that it is. */
export interface LocalTime {
  /** The instant. */
  readonly instant: Date;
  /** The local time, with seconds. */
  readonly local: string;
  /** Its zone. */
  readonly timezone: string;
}

/**
 * Reads a local time in a zone. Where clocks go back, the earlier of two is
 * meant; where they go forward, the time after the gap.
 *
 * @throws {FleetRefusalError} It is no such time or zone.
 */
export function readLocalTime(
  text: string,
  timezone: string | undefined,
  what: string,
): LocalTime {
  const zone = readZone(timezone ?? "UTC");
  const match = LOCAL_REGEXP.exec(text.trim());
  if (match === null) {
    throw badArgument(
      `${what} is a local time like 2026-03-01T09:30, without an offset, in the zone that timezone names; this is "${
        cutText(text, 60)
      }". Nothing was changed`,
    );
  }
  if (match[3] !== undefined && zone !== "UTC") {
    throw badArgument(
      `${what} ends in Z, which means UTC, and timezone says ${zone}; give one of the two. Nothing was changed`,
    );
  }
  try {
    const plain = Temporal.PlainDateTime.from(match[0].replace("Z", ""), {
      overflow: "reject",
    });
    const zoned = plain.toZonedDateTime(zone, { disambiguation: "compatible" });
    return {
      instant: new Date(zoned.epochMilliseconds),
      local: zoned.toPlainDateTime().toString({ smallestUnit: "second" }),
      timezone: zone,
    };
  } catch {
    throw badArgument(
      `${what} "${
        cutText(text, 60)
      }" is no day or hour that there is. Nothing was changed`,
    );
  }
}

/**
 * Region and place. Offsets and letters like EST, which the calendar would take
 * as well, know of no changes of clock.
 */
const ZONE_REGEXP = /^[a-z_]+(?:\/[a-z0-9_+-]+){1,2}$/i;

/** The zone of that name, as the calendar spells it. @throws {FleetRefusalError} */
export function readZone(name: string): string {
  const text = name.trim();
  if (text.toUpperCase() === "UTC") return "UTC";
  if (ZONE_REGEXP.test(text)) {
    try {
      return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text)
        .timeZoneId;
    } catch {
      // There is none of that name.
    }
  }
  throw badArgument(
    `timezone is an IANA zone like Europe/Berlin, or UTC; this is "${
      cutText(name, 60)
    }". Nothing was changed`,
  );
}
