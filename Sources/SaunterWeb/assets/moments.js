// Dates, times and time zones. Dates are days since 1970, times are seconds, instants are milliseconds.

const DAY = 86400000;
/** @returns {number | null} days since 1970 */
export function days(text) {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const time = Date.parse(`${text}T00:00:00Z`);
  // A date that does not exist has no time in some browsers, and that of the next month in others.
  return day && year > 0 && !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text ? time / DAY : null;
}
/** @returns {number | null} seconds since midnight */
export function seconds(text) {
  const [, hour, minute, second = "0"] = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? [];
  return minute ? hour * 3600 + minute * 60 + Number(second) : null;
}
/** Zone -> the formatter of its clock, which is expensive to create. */
const clocks = new Map();
/** The offset of a zone from UTC in milliseconds. */
function offset(zone, instant) {
  if (!clocks.has(zone)) {
    const fields = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" };
    clocks.set(zone, new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", ...fields }));
  }
  const parts = clocks.get(zone).formatToParts(instant);
  const part = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]));
  const wall = new Date(0);
  wall.setUTCFullYear(part.year, part.month - 1, part.day);
  wall.setUTCHours(part.hour, part.minute, part.second);
  return wall.getTime() - Math.floor(instant / 1000) * 1000;
}
export const localDay = ({ zone, now }) => Math.floor((Number(now) + offset(zone, Number(now))) / DAY);
/** The first instant at which the clock of the zone shows this time; null for a time that the clock skips. */
export function instant(day, second, zone) {
  const wall = day * DAY + second * 1000;
  const offsets = [offset(zone, wall - DAY), offset(zone, wall + DAY)];
  const found = offsets.map((o) => wall - o).filter((at, index) => offset(zone, at) === offsets[index]);
  return found.length ? Math.min(...found) : null;
}
export const parsers = { date: days, time: seconds, dateTime: (text) => Date.parse(text) };
