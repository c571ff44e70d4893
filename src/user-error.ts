/**
 * An error the user can mend: printed as one line, without a stack. Exit codes as in DESIGN 4.1:
 * 1 failed, 2 wrong use.
 */
export class UserError extends Error {
  readonly exitCode: 1 | 2;

  /** @param message what was wrong, where, and how to mend it; one line, no final period needed */
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = "UserError";
    this.exitCode = exitCode;
  }
}
