import { deepEqual, equal, ok, throws } from "node:assert/strict";
import fc from "fast-check";
import {
  checkSchedule,
  countBetween,
  nextAfter,
  scheduleOf,
  WEEK_DAYS,
} from "./schedule.ts";

const DAY_MS = 86_400_000;

/** An instant, and the first one after it at a wall time of a zone, by hand. */
const BY_HAND: readonly (readonly [string, string, string, string])[] = [
  // Clocks go forward: the time behind the gap.
  ["America/New_York", "02:30", "2027-03-14T00:00Z", "2027-03-14T07:30Z"],
  ["America/Los_Angeles", "02:30", "2027-03-14T08:00Z", "2027-03-14T10:30Z"],
  ["America/St_Johns", "02:30", "2027-03-14T03:30Z", "2027-03-14T06:00Z"],
  ["America/Havana", "00:30", "2027-03-13T12:00Z", "2027-03-14T05:30Z"],
  ["Europe/Berlin", "02:30", "2027-03-27T12:00Z", "2027-03-28T01:30Z"],
  ["Europe/London", "01:30", "2027-03-27T12:00Z", "2027-03-28T01:30Z"],
  ["Europe/Dublin", "01:30", "2027-03-27T12:00Z", "2027-03-28T01:30Z"],
  ["Antarctica/Troll", "01:30", "2027-03-27T12:00Z", "2027-03-28T01:30Z"],
  ["Asia/Beirut", "00:30", "2027-03-27T00:00Z", "2027-03-27T22:30Z"],
  ["Africa/Cairo", "00:30", "2027-04-29T00:00Z", "2027-04-29T22:30Z"],
  ["Australia/Lord_Howe", "02:15", "2027-10-02T00:00Z", "2027-10-02T15:45Z"],
  // Clocks go back: the earlier of two.
  ["America/New_York", "01:30", "2026-11-01T00:00Z", "2026-11-01T05:30Z"],
  ["America/Los_Angeles", "01:30", "2027-11-07T00:00Z", "2027-11-07T08:30Z"],
  ["America/Havana", "00:30", "2026-10-31T12:00Z", "2026-11-01T04:30Z"],
  ["Europe/Berlin", "02:30", "2026-10-24T12:00Z", "2026-10-25T00:30Z"],
  ["Europe/London", "01:30", "2026-10-24T12:00Z", "2026-10-25T00:30Z"],
  ["Australia/Lord_Howe", "01:45", "2027-04-03T00:00Z", "2027-04-03T14:45Z"],
  // And the second of the two is none: the next day's follows.
  ["America/New_York", "01:30", "2026-11-01T05:30Z", "2026-11-02T06:30Z"],
  // A date that a zone left out.
  ["Pacific/Apia", "09:00", "2011-12-29T19:00Z", "2011-12-30T19:00Z"],
  ["Pacific/Apia", "09:00", "2011-12-30T19:00Z", "2011-12-31T19:00Z"],
  // Odd offsets, and the ends of the earth.
  ["Asia/Kolkata", "09:30", "2027-01-15T00:00Z", "2027-01-15T04:00Z"],
  ["Asia/Kathmandu", "09:45", "2027-01-15T00:00Z", "2027-01-15T04:00Z"],
  ["Asia/Tehran", "09:00", "2027-01-15T00:00Z", "2027-01-15T05:30Z"],
  ["Pacific/Chatham", "09:45", "2027-01-14T12:00Z", "2027-01-14T20:00Z"],
  ["Pacific/Kiritimati", "09:00", "2027-01-14T12:00Z", "2027-01-14T19:00Z"],
  ["America/Sao_Paulo", "09:00", "2027-01-15T00:00Z", "2027-01-15T12:00Z"],
  ["Africa/Casablanca", "09:00", "2027-06-15T00:00Z", "2027-06-15T08:00Z"],
  // Leap days.
  ["UTC", "12:00", "2028-02-28T12:00Z", "2028-02-29T12:00Z"],
  ["UTC", "12:00", "2028-02-29T12:00Z", "2028-03-01T12:00Z"],
  ["UTC", "12:00", "2027-02-28T12:00Z", "2027-03-01T12:00Z"],
];

const ZONES = [...new Set(BY_HAND.map(([zone]) => zone))];

/** The wall time of an instant as if it were UTC, by the formatter alone. */
function wallOf(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  return (at) => Date.parse(`${format.format(at).replace(" ", "T")}Z`);
}

/** The instant of a wall time, by the offsets of the days around it. */
function instantOf(wall: (at: number) => number, local: number): number {
  const [early, late] = [local - DAY_MS, local + DAY_MS].map((near) =>
    local - (wall(near) - near)
  ) as [number, number];
  const real = [early, late].filter((at) => wall(at) === local);
  // Neither: it lies in a gap, and is counted by the clock before it.
  return real.length === 0 ? early : Math.min(...real);
}

function daily(timezone: string, time: string, interval = 1) {
  return scheduleOf(checkSchedule({ interval, unit: "days", time, timezone }));
}

Deno.test("a daily schedule is due when a calendar of paper says so", () => {
  equal(ZONES.length, 20);
  for (const [zone, time, after, due] of BY_HAND) {
    const anchor = new Date("2011-01-01T00:00Z");
    deepEqual(
      nextAfter(daily(zone, time), anchor, new Date(after)),
      new Date(due),
      `${zone} ${time} after ${after}`,
    );
  }
});

Deno.test("[behaviour 24] a daily schedule over ten years is due as the formatter of the zone counts, in 20 zones", () => {
  const from = Date.UTC(2026, 0, 1);
  for (const zone of ZONES) {
    const wall = wallOf(zone);
    const schedule = daily(zone, "02:15");
    const anchor = new Date(instantOf(wall, from));
    let at: Date | undefined = anchor;
    for (let day = 0; day < 3_653; day++) {
      const local = from + day * DAY_MS + (2 * 60 + 15) * 60_000;
      at = nextAfter(schedule, anchor, at ?? anchor);
      equal(at?.getTime(), instantOf(wall, local), `${zone} day ${day}`);
    }
  }
});

Deno.test("days and weeks of any interval, from any anchor, are due as the formatter counts", () => {
  const minute = fc.integer({ min: 0, max: 1_439 });
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      minute,
      fc.integer({ min: 1, max: 40 }),
      fc.option(fc.integer({ min: 1, max: 7 })),
      fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2030, 0, 1) }),
      fc.integer({ min: -100 * DAY_MS, max: 2_500 * DAY_MS }),
      (timezone, minutes, interval, weekday, anchored, later) => {
        const time = [Math.floor(minutes / 60), minutes % 60]
          .map((part) => String(part).padStart(2, "0")).join(":");
        const schedule = scheduleOf(checkSchedule(
          weekday === null ? { interval, unit: "days", time, timezone } : {
            interval,
            unit: "weeks",
            time,
            day_of_week: WEEK_DAYS[weekday - 1],
            timezone,
          },
        ));
        const anchor = new Date(anchored);
        const after = anchored + later;
        const wall = wallOf(timezone);
        const midnight = Math.floor(wall(anchored) / DAY_MS) * DAY_MS;
        const step = interval * (weekday === null ? 1 : 7) * DAY_MS;
        let local = midnight + minutes * 60_000;
        while (
          weekday !== null && new Date(local).getUTCDay() !== weekday % 7
        ) local += DAY_MS;
        while (instantOf(wall, local) <= Math.max(after, anchored)) {
          local += step;
        }
        equal(
          nextAfter(schedule, anchor, new Date(after))?.getTime(),
          instantOf(wall, local),
        );
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("[behaviour 24] minutes and hours are elapsed time: changes of clock do not stretch them", () => {
  const anchor = new Date("2027-03-14T04:10:42Z");
  const schedule = scheduleOf(checkSchedule({
    interval: 2,
    unit: "hours",
    timezone: "America/New_York",
  }));
  let at = anchor;
  const seen: string[] = [];
  for (let count = 0; count < 4; count++) {
    at = nextAfter(schedule, anchor, at) ?? at;
    seen.push(at.toISOString().slice(11, 19));
  }
  deepEqual(seen, ["06:10:00", "08:10:00", "10:10:00", "12:10:00"]);
});

Deno.test("what lies between two instants is counted, one by one and by arithmetic alike", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("minutes", "hours", "days"),
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 0, max: 40 * DAY_MS }),
      (unit, interval, length) => {
        const anchor = new Date("2027-03-01T10:00:00Z");
        const schedule = scheduleOf(checkSchedule({
          interval,
          unit,
          timezone: "Europe/Berlin",
          ...(unit === "days" ? { time: "02:30" } : {}),
        }));
        const upTo = new Date(anchor.getTime() + length);
        let count = 0;
        let at = nextAfter(schedule, anchor, anchor);
        while (at !== undefined && at <= upTo && count < 1_000) {
          count++;
          at = nextAfter(schedule, anchor, at);
        }
        if (count === 1_000) return;
        equal(countBetween(schedule, anchor, { after: anchor, upTo }), count);
      },
    ),
  );
});

Deno.test("a schedule that happens once is due once", () => {
  const configuration = checkSchedule({
    scheduled_at: "2027-07-01T09:30",
    timezone: "europe/berlin",
  });
  deepEqual(configuration, {
    scheduled_at: "2027-07-01T09:30:00",
    timezone: "Europe/Berlin",
  });
  const schedule = scheduleOf(configuration);
  const due = new Date("2027-07-01T07:30:00Z");
  deepEqual(nextAfter(schedule, due, new Date(due.getTime() - 1)), due);
  equal(nextAfter(schedule, due, due), undefined);
});

Deno.test("a plain configuration checked again is the same", () => {
  for (
    const given of [
      { unit: "minutes", interval: 15 },
      { unit: "weeks", time: "09:30", day_of_week: "Mon", timezone: "UTC" },
      { unit: "weeks", time: "09:30", day_of_week: 0, missed: "skip" },
      { scheduled_at: "2027-07-01T09:30:15Z" },
    ]
  ) {
    const plain = checkSchedule(given);
    deepEqual(checkSchedule(plain), plain);
  }
  equal(
    checkSchedule({ unit: "weeks", time: "09:30", day_of_week: 0 }).day_of_week,
    "sunday",
  );
});

Deno.test("what no schedule can mean is refused by name", () => {
  const cases: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{}, /unit is one of minutes, hours, days, weeks/],
    [{ unit: "months" }, /it is "months"/],
    [{ unit: "days" }, /days need a time, HH:MM in UTC/],
    [{ unit: "hours", time: "09:00" }, /take no time of day/],
    [{ unit: "days", time: "24:00" }, /from 00:00 to 23:59/],
    [{ unit: "weeks", time: "09:00" }, /need a day_of_week: monday/],
    [{ unit: "days", time: "09:00", day_of_week: 1 }, /weeks only/],
    [{ unit: "weeks", time: "09:00", day_of_week: 7 }, /0 \(Sunday\) to 6/],
    [{ unit: "hours", interval: 0 }, /from 1 to 10000/],
    [{ unit: "hours", interval: 1.5 }, /whole number/],
    [{ unit: "hours", timezone: "+02:00" }, /IANA zone/],
    [{ unit: "hours", timezone: "EST5" }, /IANA zone/],
    [{ unit: "hours", cron: "* * * * *" }, /"cron" is not among/],
    [{ scheduled_at: "2027-07-01" }, /local time/],
    [{ scheduled_at: "2027-02-29T09:00" }, /no day or hour/],
    [{ scheduled_at: "2027-07-01T09:00", interval: 1 }, /"interval" is not/],
    [{ unit: "hours", missed: "twice" }, /once, skip/],
  ];
  for (const [given, message] of cases) {
    throws(() => checkSchedule(given), { message });
  }
  ok(WEEK_DAYS.length === 7);
});
