// Which messages a rule has evaluated, in words.
//
// In: the state of a rule. Out: sentences. Holds nothing.
import type { Coverage, RuleHealth } from "../../api/rules.ts";
import { formatCount, formatDuration } from "../../time/format.ts";

/** Rules look about as often; what is less is not behind. */
const BEHIND_US_MIN = 2_000_000;
/** From here on a rule is late, and the health of the server says so too. */
const LATE_US = 60_000_000;

export type HealthLevel = "well" | "warning" | "stopped";

const place = (sequence: number): string => `#${formatCount(sequence)}`;

/** "Evaluated #0 to #2 524 416 without a gap; 3 s behind" */
export function coverageText(health: RuleHealth): string {
  if (health.from === null) return `Waits for the first message after ${place(health.next_sequence)}`;
  if (health.from >= health.next_sequence)
    return `Has evaluated nothing yet: no message came since ${place(health.from)}; ${paceText(health)}`;
  const range = `Evaluated ${place(health.from)} to ${place(health.next_sequence - 1)}`;
  return `${range} ${gapText(health)}; ${paceText(health)}`;
}

function gapText({ gaps, missed }: RuleHealth): string {
  if (gaps === 0) return "without a gap";
  const where = gaps === 1 ? "with 1 gap" : `with ${formatCount(gaps)} gaps`;
  return missed === 0 ? where : `${where}, ${formatCount(missed)} ${missed === 1 ? "message" : "messages"} missed`;
}

function paceText({ running, behind_us, behind_messages }: RuleHealth): string {
  if (!running) return "not running";
  if (behind_us < BEHIND_US_MIN) return "up to date";
  const count = `${formatCount(behind_messages)} ${behind_messages === 1 ? "message" : "messages"}`;
  return `${formatDuration(behind_us)} behind (${count})`;
}

/** How well a rule does in a logspace. */
export function levelOf(health: RuleHealth): HealthLevel {
  if (!health.running || health.trouble !== null) return "stopped";
  return health.gaps > 0 || health.behind_us >= LATE_US ? "warning" : "well";
}

const REASONS: Record<Coverage["state"], string> = {
  evaluated: "evaluated",
  removed: "removed by the retention before they were evaluated",
  damaged: "damaged on the disk",
  locked: "locked: their key was not there",
  away: "in an archive that is not attached",
  lost: "lost by a crash of the machine",
  "state-lost": "the rule began again without a past: its saved state was lost",
};

/** "#100 to #199: damaged on the disk" */
export function coveragePart({ from, to, state }: Coverage): string {
  if (state === "state-lost") return `At ${place(from)}: ${REASONS[state]}`;
  const range = to > from ? `${place(from)} to ${place(to - 1)}` : `From ${place(from)} on`;
  return `${range}: ${REASONS[state] ?? state}`;
}
