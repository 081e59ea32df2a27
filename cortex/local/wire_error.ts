/**
 * Refusals of the local CortexDB and the one shape they leave in: `error_code`,
 * `message`, and `retriable` where another try may help.
 *
 * @module
 */

/** A request that is not served. The message is written for its sender. */
export class WireError extends Error {
  /** Always `WireError`. */
  override readonly name = "WireError";
  /** HTTP status. */
  readonly status: number;
  /** Machine code, upper case. */
  readonly code: string;
  /** Whether the same request may succeed later. */
  readonly isRetriable: boolean;

  /** Takes status, machine code and message. */
  constructor(
    status: number,
    code: string,
    message: string,
    options: { readonly isRetriable?: boolean } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.isRetriable = options.isRetriable ?? false;
  }
}

/** A body or query that breaks the wire's own schema. */
export function invalid(message: string, code = "INVALID_BODY"): WireError {
  return new WireError(422, code, message);
}

/** Something that only a server with a model or more parts can do. */
export function notConfigured(message: string): WireError {
  return new WireError(422, "NOT_CONFIGURED", message);
}

/** The answer to a refused request. */
export function toErrorResponse(error: WireError): Response {
  return Response.json({
    error_code: error.code,
    message: error.message,
    retriable: error.isRetriable,
  }, {
    status: error.status,
    headers: error.isRetriable ? { "retry-after": "1" } : {},
  });
}
