import Hummingbird
import Postgres
import SaunterCore
import SaunterStore

extension Problem {
    /// The problem for an error that was thrown while a request was processed. An unknown error becomes `internal`: the
    /// caller logs it completely, and the client gets no details.
    package init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as DatabaseError: self.init(error)
        case let faults as Faults: self.init(.bodyInvalid, faults)
        case let fault as Fault: self.init(.bodyInvalid, Faults([fault]))
        case let fault as JSONFault: self.init(fault)
        case is PasswordHasherBusy: self.init(.busy, "Too many logins at the same time.", retryAfter: 2)
        case is IngestOverload: self.init(.busy, "Too many submissions at the same time.", retryAfter: 2)
        case is CancellationError: self.init(.busy, "The server is stopping.", retryAfter: 5)
        case is ConcurrentErasure: self.init(.notFound)
        case is StudyVersionMismatch:
            self.init(.busy, "The version of the study is changing at this moment.", retryAfter: 1)
        case AccountFault.emailTaken: self.init(.emailTaken)
        case AccountFault.passwordChanged: self.init(.credentialsInvalid)
        case is AccountKindNotAdmitted:
            self.init(.notPermitted, "The study does not admit accounts of this kind.")
        case AdoptionFault.alreadyRegistered: self.init(.alreadyRegistered)
        case AdoptionFault.passwordChanged: self.init(.credentialsInvalid)
        case AdoptionFault.alreadyEnrolled(let studies):
            self.init(
                .alreadyEnrolled,
                "Both accounts take part in: \(studies.joined(separator: ", ")). Nothing was changed.")
            members = ["studies": .array(studies.map(JSON.string))]
        case let rejection as EnrolmentCodeRejection: self.init(rejection)
        case let fault as TooManyEnrolmentCodes:
            self.init(
                .notPermitted,
                "A study can have \(fault.maximum) usable codes. Revoke codes that are no longer needed.")
        case is AllocationExhausted:
            self.init(
                .notPermitted,
                "The study cannot allocate an arm: it has no arms, or its allocation list has ended.")
        case let error as HTTPError: self.init(error)
        default: self.init(.internalError)
        }
    }

    /// The problem for a body that is not JSON (400), or that contains values which cannot be stored (422).
    package init(_ fault: JSONFault) {
        switch fault {
        case .unreadable(let offset, let reason): self.init(.bodyUnreadable, "At byte \(offset): \(reason).")
        case .rejected(let faults): self.init(.bodyInvalid, faults)
        }
    }

    /// The problem for an enrolment code that admits no participant.
    private init(_ rejection: EnrolmentCodeRejection) {
        let (code, detail) =
            switch rejection {
            case .unknown:
                ("unknown_code", "The study has no such code. Compare it with the code that you received.")
            case .usedUp:
                (
                    "used_up",
                    "The code has been used as often as it can be. Ask the study team for another one."
                )
            case .expired: ("expired", "The code has expired. Ask the study team for another one.")
            case .revoked: ("revoked", "The study team has revoked the code. Ask it for another one.")
            }
        self.init(.enrolmentCodeInvalid, Faults([Fault(pointer: "/code", code: code, detail: detail)]))
    }

    /// The problem for an error of Hummingbird.
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
