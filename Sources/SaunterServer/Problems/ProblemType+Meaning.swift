extension ProblemType {
    /// A sentence or two for the reference page: when it happens, and what a client's author should know.
    package var meaning: String {
        switch self {
        case .bodyUnreadable:
            "The body is not a JSON text in UTF-8 (RFC 8259), or its compression is broken. Nothing was stored."
        case .requestInvalid:
            "A query parameter or header is unknown, missing or wrong. In errors, the pointer names the parameter."
        case .tokenInvalid:
            "No, a forged, an expired or a revoked access token. Refresh the pair of tokens; if that fails, log in."
        case .credentialsInvalid:
            "Also for addresses that have no account: the reply does not tell the two apart."
        case .notPermitted: "The route exists for another role than this account has."
        case .notFound:
            "Nothing is there, or nothing that this account may know of. The two are not told apart."
        case .methodNotAllowed: "The Allow header lists the methods that the address takes."
        case .requestTimeout: "The body did not arrive in time. Nothing was stored; the connection is closed."
        case .emailTaken: "Log in instead, or reset the password."
        case .idReused:
            "The id in the address already belongs to other content. What was stored first stands."
        case .occasionNotOpen:
            "The occasion is not open yet, is over, or is not the enrolment's. Nothing was stored."
        case .consentOutdated: "Show the current consent text and send its version."
        case .enrolmentWithdrawn:
            "The participant has left the study; it takes no more data from this enrolment."
        case .correctionClosed: "The questionnaire allows no correction, or no longer."
        case .eventFixed: "The study does not let an event that was told be moved to this moment."
        case .preconditionFailed:
            "The entity tag in If-Match is not the current one. Read it again, then decide."
        case .rangeNotSatisfiable:
            "The range begins behind the end of the file; Content-Range tells its length."
        case .bodyTooLarge: "The body, compressed or not, is above the route's limit."
        case .mediaTypeUnsupported: "Bodies are application/json in UTF-8, sent as they are or with gzip."
        case .bodyInvalid:
            "Members are missing, unknown or of the wrong type. Every fault is in errors, with its place."
        case .answerSheetInvalid:
            "Every fault of every answer is in errors, with its place. Nothing was stored."
        case .walkInvalid:
            "Times run backwards, series differ in length or values are impossible: every fault is in errors."
        case .calibrationInvalid: "Every fault is in errors. Nothing was stored."
        case .preconditionRequired: "Edits carry If-Match with the entity tag of what they change."
        case .tooManyRequests: "Wait for the seconds in Retry-After."
        case .headersTooLarge: "The address, or a header, is longer than any that the server gives out."
        case .internalError: "The fault is logged under the request id in instance. Nothing was acknowledged."
        case .databaseUnavailable:
            "Nothing was acknowledged. Send the same request again after Retry-After: ids make that safe."
        case .busy:
            "More requests are in work than the server takes on at once. Send again after Retry-After."
        case .storageFull: "The operator has to make room. Keep the data and send it again after Retry-After."
        }
    }
}
