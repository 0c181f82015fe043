/// All reasons for which a request can fail. Clients branch on the slug, so a slug is never renamed and never used for
/// another reason.
package enum ProblemType: Sendable, Hashable, CaseIterable {
    case bodyUnreadable, requestInvalid, tokenInvalid, credentialsInvalid, notPermitted, passwordRequired,
        armsBlinded, entitlementRequired, notFound,
        methodNotAllowed
    case requestTimeout, emailTaken, idReused, occasionNotOpen, consentOutdated, enrolmentWithdrawn,
        correctionClosed, eventFixed, studyNotBlinded, lastCoordinator, draftExists, studyTaken,
        notPublishable, alreadyRegistered, alreadyEnrolled, purchaseTaken, editionOutdated, versionNotLive
    case preconditionFailed, rangeNotSatisfiable, bodyTooLarge, mediaTypeUnsupported, bodyInvalid,
        answerSheetInvalid, walkInvalid, observationInvalid, recordingInvalid, draftInvalid,
        questionnaireInvalid, purchaseInvalid
    case calibrationInvalid, enrolmentCodeInvalid, preconditionRequired, tooManyRequests, headersTooLarge,
        internalError
    case databaseUnavailable, busy, storageFull

    /// What a device should do, without a person who reads the detail.
    package enum Action: String, Sendable, CaseIterable {
        /// The same request never succeeds. The client keeps the data and shows that they are not stored.
        case neverRetry = "never_retry"
        /// The same request may succeed later; see `Retry-After`.
        case retryLater = "retry_later"
        /// Get a new access token, or log in, and send the request again.
        case signIn = "sign_in"
        /// The app is older than the study: update the app, or load the study again.
        case updateApp = "update_app"
        /// Correct the faults in `errors` and send the request again.
        case correct
    }

    private var entry: (slug: String, status: Int, action: Action, title: String) {
        switch self {
        case .bodyUnreadable: ("body-unreadable", 400, .correct, "The body cannot be read")
        case .requestInvalid: ("request-invalid", 400, .correct, "The query or a header is invalid")
        case .tokenInvalid: ("token-invalid", 401, .signIn, "The access token is missing or invalid")
        case .credentialsInvalid:
            ("credentials-invalid", 401, .correct, "The e-mail address or password is wrong")
        case .notPermitted: ("not-permitted", 403, .neverRetry, "This account does not have the permission")
        case .passwordRequired: ("password-required", 403, .correct, "The session needs the password again")
        case .armsBlinded: ("arms-blinded", 403, .neverRetry, "The arms are hidden from this account")
        case .entitlementRequired:
            ("entitlement-required", 403, .neverRetry, "The participant does not have the entitlement")
        case .notFound: ("not-found", 404, .neverRetry, "The resource does not exist")
        case .methodNotAllowed:
            ("method-not-allowed", 405, .neverRetry, "This address does not support the method")
        case .requestTimeout: ("request-timeout", 408, .retryLater, "The request arrived too slowly")
        case .emailTaken: ("email-taken", 409, .correct, "This e-mail address already has an account")
        case .idReused: ("id-reused", 409, .neverRetry, "This id is already used for other content")
        case .occasionNotOpen: ("occasion-not-open", 409, .neverRetry, "This occasion cannot be answered now")
        case .consentOutdated: ("consent-outdated", 409, .updateApp, "The consent text has changed")
        case .enrolmentWithdrawn: ("enrolment-withdrawn", 409, .neverRetry, "This enrolment was withdrawn")
        case .correctionClosed:
            ("correction-closed", 409, .neverRetry, "These answers can no longer be changed")
        case .eventFixed: ("event-fixed", 409, .neverRetry, "This event can no longer be moved")
        case .studyNotBlinded: ("study-not-blinded", 409, .neverRetry, "The arms of the study are not hidden")
        case .lastCoordinator:
            ("last-coordinator", 409, .neverRetry, "The study would have no coordinator")
        case .alreadyRegistered:
            ("already-registered", 409, .neverRetry, "This account is registered already")
        case .alreadyEnrolled:
            ("already-enrolled", 409, .correct, "Both accounts take part in the same study")
        case .draftExists: ("draft-exists", 409, .neverRetry, "The study already has a draft")
        case .studyTaken: ("study-taken", 409, .correct, "The code of the study is already in use")
        case .notPublishable: ("not-publishable", 409, .correct, "The draft cannot be published")
        case .purchaseTaken:
            ("purchase-taken", 409, .neverRetry, "The purchase belongs to another account")
        case .editionOutdated:
            ("edition-outdated", 409, .correct, "A newer edition of the library is live")
        case .versionNotLive: ("version-not-live", 409, .neverRetry, "Another version is live")
        case .preconditionFailed:
            ("precondition-failed", 412, .correct, "The resource has changed in the meantime")
        case .rangeNotSatisfiable:
            ("range-not-satisfiable", 416, .correct, "The file does not have this range")
        case .bodyTooLarge: ("body-too-large", 413, .neverRetry, "The body is too large")
        case .mediaTypeUnsupported:
            ("media-type-unsupported", 415, .correct, "The media type of the body is not supported")
        case .bodyInvalid: ("body-invalid", 422, .correct, "The body does not match its schema")
        case .answerSheetInvalid:
            ("answer-sheet-invalid", 422, .correct, "The answers do not match the questionnaire")
        case .walkInvalid: ("walk-invalid", 422, .correct, "The walk contains contradictions")
        case .observationInvalid:
            ("observation-invalid", 422, .correct, "The observation contains contradictions")
        case .recordingInvalid: ("recording-invalid", 422, .neverRetry, "The file contains no walk")
        case .draftInvalid: ("draft-invalid", 422, .correct, "The draft contains faults")
        case .questionnaireInvalid:
            ("questionnaire-invalid", 422, .correct, "The questionnaires cannot be imported")
        case .purchaseInvalid:
            ("purchase-invalid", 422, .neverRetry, "The purchase cannot be accepted")
        case .calibrationInvalid: ("calibration-invalid", 422, .correct, "The calibration cannot be used")
        case .enrolmentCodeInvalid:
            ("enrolment-code-invalid", 422, .correct, "The enrolment code cannot be used")
        case .preconditionRequired:
            ("precondition-required", 428, .correct, "The edit needs the header If-Match")
        case .tooManyRequests: ("too-many-requests", 429, .retryLater, "Too many requests")
        case .headersTooLarge: ("headers-too-large", 431, .neverRetry, "The address or headers are too large")
        case .internalError: ("internal", 500, .retryLater, "The server has an internal error")
        case .databaseUnavailable:
            ("database-unavailable", 503, .retryLater, "The database cannot be reached")
        case .busy: ("busy", 503, .retryLater, "The server has too much to do")
        case .storageFull: ("storage-full", 507, .retryLater, "The server has no storage space left")
        }
    }

    /// The last part of the type's address. Clients branch on it.
    package var slug: String { entry.slug }
    /// The HTTP status.
    package var status: Int { entry.status }
    /// What a device should do.
    package var action: Action { entry.action }
    /// The title, in English. It is the same for each problem of this type.
    package var title: String { entry.title }

    /// One or two sentences for the reference page: when the problem occurs, and what a client should do.
    package var meaning: String {
        switch self {
        case .bodyUnreadable:
            "The body is not JSON in UTF-8 (RFC 8259), or its compression is damaged. Nothing was stored."
        case .requestInvalid:
            """
            A query parameter or header is unknown, missing or wrong, and each pointer in errors contains its name; or \
            the request is not correct HTTP, and the connection is closed.
            """
        case .tokenInvalid:
            "The access token is missing, forged, expired or revoked. Refresh the tokens; if that fails, log in."
        case .credentialsInvalid:
            "An address without an account gets the same response as a wrong password."
        case .notPermitted: "The route needs a role or permission that this account does not have."
        case .passwordRequired:
            """
            A browser session uses routes for study teams for 8 hours after the password was entered, and for 30 \
            minutes without a request; some acts need a password of the last 10 minutes. Send it to \
            `POST /v1/session/confirmation`, then the request again.
            """
        case .armsBlinded:
            """
            The study is blinded, and the request needs the codes of arms. An administrator can allow the account to \
            see arms.
            """
        case .entitlementRequired:
            """
            The content is locked. `GET /v1/studies/{study}/plans` lists how to buy the entitlement. Contacts for a \
            crisis, settings and own data are never locked.
            """
        case .notFound:
            "The resource does not exist, or this account may not know that it exists. Both get this response."
        case .methodNotAllowed: "The Allow header lists the methods of this address."
        case .requestTimeout:
            "The body did not arrive in time. Nothing was stored, and the connection is closed."
        case .emailTaken: "Log in instead, or reset the password."
        case .idReused:
            "The id in the address already belongs to other content. The content that was stored first is unchanged."
        case .occasionNotOpen:
            "The occasion is not open yet, has closed, or belongs to another enrolment. Nothing was stored."
        case .consentOutdated: "Show the current consent text and send its version."
        case .enrolmentWithdrawn:
            "The participant has left the study. The server accepts no more data for this enrolment."
        case .correctionClosed: "The questionnaire does not allow corrections, or the time for them is over."
        case .eventFixed: "The study does not allow moving an event that was already reported to this moment."
        case .studyNotBlinded:
            "The study is not blinded, or all arms were shown to its team. Nothing was stored."
        case .lastCoordinator:
            """
            The account is the last coordinator of a study with active participants. Invite another coordinator, who \
            must log in once, or ask an admin to remove the role.
            """
        case .alreadyRegistered:
            "Only an anonymous account can be registered or adopted. Nothing was changed."
        case .alreadyEnrolled:
            """
            The member `studies` contains the codes of the studies in which both accounts take part. Nothing is merged \
            and nothing was changed. Ask the participant which participation to keep: erase that of the anonymous \
            account with `POST /v1/enrolments/{id}/withdrawal` and adopt it again, or keep the two accounts.
            """
        case .draftExists: "Read the draft and change it, or discard it first. Nothing was stored."
        case .studyTaken:
            "A published study, a draft or the team of another study uses this code. Choose another one."
        case .purchaseTaken:
            "Another account of this server, or another study, already uses the purchase. Nothing was stored."
        case .draftInvalid:
            """
            The list errors contains all faults with their files and lines. Nothing was stored. A draft can be stored \
            with faults in its content; a dry run or a rehearsal needs a draft without them.
            """
        case .notPublishable:
            "The member problems lists everything that prevents the publication. Correct the draft. Nothing was published."
        case .editionOutdated:
            """
            The library of the draft differs from the live edition, which was published after the draft began. Take the \
            edition over into the draft (`POST …/draft/library`), look at the result, and publish again. Nothing was \
            published.
            """
        case .versionNotLive:
            "Participants are only moved to the version that new participants join. No participant was moved."
        case .preconditionFailed:
            "The ETag in If-Match is not the current one. Read the resource again, then decide."
        case .rangeNotSatisfiable:
            "The range begins after the end of the file. Content-Range contains the length of the file."
        case .bodyTooLarge: "The body exceeds the limit of the route, before or after decompression."
        case .mediaTypeUnsupported:
            "The body must be JSON in UTF-8 or a media type of the route, and may be compressed with gzip."
        case .bodyInvalid:
            "Members are missing, unknown or of the wrong type. The list errors contains all faults."
        case .answerSheetInvalid:
            "The list errors contains all faults of all answers with their pointers. Nothing was stored."
        case .walkInvalid:
            "Times are not in order, series differ in length, or values are impossible; see the list errors."
        case .observationInvalid:
            "Times are not in order, columns differ in length, or a unit, code or value is impossible; see errors."
        case .recordingInvalid:
            "The file does not have a supported format, is damaged, or contains no walk. Nothing was stored."
        case .questionnaireInvalid:
            """
            The file does not have the format, or one of its questionnaires cannot be imported. The list errors contains \
            all reasons. Nothing was stored.
            """
        case .purchaseInvalid:
            """
            The signature is not one of the store, or the purchase belongs to another app, environment or product. \
            Nothing was stored.
            """
        case .calibrationInvalid: "The list errors contains all faults. Nothing was stored."
        case .enrolmentCodeInvalid:
            """
            The code is mistyped, unknown in this study, used up, expired or revoked; see the list errors. The \
            participant is not enrolled.
            """
        case .preconditionRequired: "Send If-Match with the ETag of the resource that the request changes."
        case .tooManyRequests: "Wait for the number of seconds in Retry-After."
        case .headersTooLarge: "The address or a header is longer than any that this API needs."
        case .internalError:
            "The error is logged with the request id in instance. The request is not confirmed."
        case .databaseUnavailable:
            "The request is not confirmed. Send the same request again after Retry-After."
        case .busy:
            "The server has reached a limit of concurrent work. Send the same request again after Retry-After."
        case .storageFull:
            "The operator must free storage space. Keep the data and send it again after Retry-After."
        }
    }
}
