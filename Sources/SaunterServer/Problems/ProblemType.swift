/// The catalogue of everything that a request can be refused for, one line each. A slug is never renamed and never used for something else:
/// clients branch on it.
package enum ProblemType: Sendable, Hashable, CaseIterable {
    case bodyUnreadable, requestInvalid, tokenInvalid, credentialsInvalid, notPermitted, notFound,
        methodNotAllowed
    case requestTimeout, emailTaken, idReused, occasionNotOpen, consentOutdated, enrolmentWithdrawn,
        correctionClosed, eventFixed
    case preconditionFailed, rangeNotSatisfiable, bodyTooLarge, mediaTypeUnsupported, bodyInvalid,
        answerSheetInvalid, walkInvalid
    case calibrationInvalid, preconditionRequired, tooManyRequests, headersTooLarge, internalError
    case databaseUnavailable, busy, storageFull

    /// What a device should do about it, without a person reading the detail.
    package enum Action: String, Sendable, CaseIterable {
        /// The same request will never succeed.
        case neverRetry = "never_retry"
        /// The same request may succeed later; see `Retry-After`.
        case retryLater = "retry_later"
        /// Get a new access token, or log in, and send the request again.
        case signIn = "sign_in"
        /// The app is older than the study: update it or load the study again.
        case updateApp = "update_app"
        /// Correct what `errors` names and send again.
        case correct
    }

    private var row: (slug: String, status: Int, action: Action, title: String) {
        switch self {
        case .bodyUnreadable: ("body-unreadable", 400, .correct, "The body cannot be read")
        case .requestInvalid: ("request-invalid", 400, .correct, "The request is not well formed")
        case .tokenInvalid: ("token-invalid", 401, .signIn, "The access token is missing or not valid")
        case .credentialsInvalid:
            ("credentials-invalid", 401, .correct, "E-mail address or password is wrong")
        case .notPermitted: ("not-permitted", 403, .neverRetry, "This account may not do that")
        case .notFound: ("not-found", 404, .neverRetry, "There is no such thing")
        case .methodNotAllowed:
            ("method-not-allowed", 405, .neverRetry, "This address does not take that method")
        case .requestTimeout: ("request-timeout", 408, .retryLater, "The request came too slowly")
        case .emailTaken: ("email-taken", 409, .correct, "This e-mail address has an account already")
        case .idReused: ("id-reused", 409, .neverRetry, "This id was used for something else")
        case .occasionNotOpen: ("occasion-not-open", 409, .neverRetry, "This occasion cannot be answered now")
        case .consentOutdated: ("consent-outdated", 409, .updateApp, "The consent text has changed")
        case .enrolmentWithdrawn: ("enrolment-withdrawn", 409, .neverRetry, "This enrolment was withdrawn")
        case .correctionClosed:
            ("correction-closed", 409, .neverRetry, "These answers can no longer be changed")
        case .eventFixed: ("event-fixed", 409, .neverRetry, "This event can no longer be moved")
        case .preconditionFailed: ("precondition-failed", 412, .correct, "It was changed in the meantime")
        case .rangeNotSatisfiable:
            ("range-not-satisfiable", 416, .correct, "The file has no such part")
        case .bodyTooLarge: ("body-too-large", 413, .neverRetry, "The body is too large")
        case .mediaTypeUnsupported:
            ("media-type-unsupported", 415, .correct, "This kind of body is not taken")
        case .bodyInvalid: ("body-invalid", 422, .correct, "The body does not fit its description")
        case .answerSheetInvalid:
            ("answer-sheet-invalid", 422, .correct, "The answers do not fit the questionnaire")
        case .walkInvalid: ("walk-invalid", 422, .correct, "The walk contradicts itself")
        case .calibrationInvalid: ("calibration-invalid", 422, .correct, "The calibration cannot be used")
        case .preconditionRequired:
            ("precondition-required", 428, .correct, "The edit must say what it edits")
        case .tooManyRequests: ("too-many-requests", 429, .retryLater, "Too many requests")
        case .headersTooLarge: ("headers-too-large", 431, .neverRetry, "The address or headers are too large")
        case .internalError: ("internal", 500, .retryLater, "Something went wrong on our side")
        case .databaseUnavailable:
            ("database-unavailable", 503, .retryLater, "The database cannot be reached")
        case .busy: ("busy", 503, .retryLater, "The server has too much to do")
        case .storageFull: ("storage-full", 507, .retryLater, "The server has no room left")
        }
    }

    /// The last part of the type's address; what clients branch on.
    package var slug: String { row.slug }
    /// The HTTP status.
    package var status: Int { row.status }
    /// What a device should do.
    package var action: Action { row.action }
    /// The fixed title, in English.
    package var title: String { row.title }
}
