import Hummingbird
import Postgres
import SaunterCore
import SaunterStore

extension Problem {
    /// The refusal for anything that was thrown while a request was in work. What is not known is `internal`: logged in full by the caller,
    /// shown as nothing.
    package init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as DatabaseError: self.init(error)
        case let faults as Faults: self.init(.bodyInvalid, faults)
        case let fault as Fault: self.init(.bodyInvalid, Faults([fault]))
        case let fault as JSONFault: self.init(fault)
        case is PasswordHashingBusy: self.init(.busy, "Too many people log in at once.", retryAfter: 2)
        case is IngestOverload: self.init(.busy, "Too much comes in at once.", retryAfter: 2)
        case is CancellationError: self.init(.busy, "The server is stopping.", retryAfter: 5)
        case is ErasedMeanwhile: self.init(.notFound)
        case is AllocationExhausted:
            self.init(.notPermitted, "The study has no place left in any arm.")
        case let error as HTTPError: self.init(error)
        default: self.init(.internalError)
        }
    }

    /// The text of a body is not JSON (400), or is JSON with things in it that may not be stored (422).
    package init(_ fault: JSONFault) {
        switch fault {
        case .unreadable(let offset, let reason): self.init(.bodyUnreadable, "At byte \(offset): \(reason).")
        case .refused(let faults): self.init(.bodyInvalid, faults)
        }
    }

    /// Hummingbird's own errors, so that clients see one shape.
    private init(_ error: HTTPError) {
        switch error.status.code {
        case 401: self.init(.tokenInvalid)
        case 403: self.init(.notPermitted)
        case 404: self.init(.notFound)
        case 405: self.init(.methodNotAllowed)
        case 408: self.init(.requestTimeout)
        case 413: self.init(.bodyTooLarge)
        case 415: self.init(.mediaTypeUnsupported)
        case 429: self.init(.tooManyRequests, retryAfter: 1)
        case 503: self.init(.busy, retryAfter: 1)
        case 400..<500: self.init(.requestInvalid)
        default: self.init(.internalError)
        }
    }
}
