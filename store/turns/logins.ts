/**
 * Accounts that agents are logged in with, and their limits.
 *
 * @module
 */
import type { Transaction } from "../pg/db.ts";

/** What was reported of a login. */
export interface LoginState {
  /** The runtime. */
  readonly runtime: string;
  /** Name of the account; no secret. */
  readonly account: string;
  /** As reported. */
  readonly limits: unknown;
  /** By the name of the window, 0 to 1. */
  readonly utilization: Readonly<Record<string, number | null>>;
  /** It is refused for so long; null lifts an earlier refusal. */
  readonly rejectedMs: number | null;
}

/** Notes it; the last report of a login wins. */
export async function noteLogin(
  tx: Transaction,
  login: LoginState,
): Promise<void> {
  await tx.write(
    `insert into logins (runtime, account, limits, utilization, rejected_until)
     values ($1, $2, $3::text::jsonb, $4::text::jsonb,
       now() + $5::float8 * interval '1 millisecond')
     on conflict (runtime, account) do update set limits = excluded.limits,
       utilization = excluded.utilization, updated_at = now(),
       rejected_until = excluded.rejected_until`,
    [
      login.runtime,
      login.account,
      JSON.stringify(login.limits),
      JSON.stringify(login.utilization),
      login.rejectedMs,
    ],
  );
}
