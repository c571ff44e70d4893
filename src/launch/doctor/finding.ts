/** One thing that was looked at. `missing` means that no job can be traced because of it. */
export interface Finding {
  /** Stable key for programs: `node`, `interceptor`, `mpi`, ... */
  id: string;
  status: "ok" | "limited" | "missing";
  subject: string;
  detail: string;
  /** What to type or change; present unless all is well or nothing can be done. */
  fix?: string;
}

/** True if a job can be traced here. */
export function canTrace(findings: readonly Finding[]): boolean {
  return findings.every(({ status }) => status !== "missing");
}
