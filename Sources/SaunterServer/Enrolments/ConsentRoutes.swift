import HTTPTypes
import SaunterCore
import SaunterStore

/// The route to consent to a new version of a study's consent text.
struct ConsentRoutes: Sendable {
    let context: ServerContext

    var create: Route {
        Route(
            .post, "/v1/enrolments/{id}/consents", who: .participant, tag: "Enrolments",
            summary: "Consent to the current consent text",
            description: """
                The server stores the consent with its time, version, language and the digest of the text. From then \
                on the enrolment follows the study's live version. Until then it follows the version to which the \
                participant consented, and the overview contains `consent_due`. Repeating the request changes nothing.
                """,
            parameters: [.enrolment],
            body: .json(
                .named(
                    "ConsentRequest",
                    .object([
                        .required(
                            "version", .string(minLength: 1),
                            "The version of the consent text that the participant saw."),
                        .required("accepted", .boolean, "Must be true."),
                    ])), example: ["version": "2.0.0", "accepted": true]),
            outcomes: [
                .json(.created, "The consent is stored.", EnrolmentResponse.schema),
                .json(
                    .ok, "The participant had already consented to this version.", EnrolmentResponse.schema),
            ], problems: [.enrolmentWithdrawn, .consentOutdated]
        ) { call in
            let stored = try await context.enrolment(call)
            guard stored.state == .active else { throw Problem(.enrolmentWithdrawn) }
            guard call.body["accepted"]?.bool == true else {
                throw Problem(
                    .bodyInvalid,
                    Faults([
                        Fault(
                            pointer: "/accepted", code: "not_accepted",
                            detail: """
                                `accepted` must be true. A participant who does not accept can continue under the \
                                earlier version or leave the study.
                                """)
                    ]))
            }
            var isAdmitted = false
            let (enrolment, isNew) = try await context.withCurrentVersion {
                let study = try await consentedStudy(call, stored.study)
                if !isAdmitted {
                    try await context.accounts.replanThrottle.admit(
                        .account(call.caller.account), now: call.now)
                    isAdmitted = true
                }
                let audit = AuditEntry(
                    actor: .participant, action: "consented", study: stored.study,
                    enrolment: stored.id, requestID: call.requestID,
                    detail: ["consent_version": .string(study.consentVersion)])
                let language =
                    study.languages.contains(stored.language) ? stored.language : study.languages[0]
                return try await context.store.consent(
                    stored.id, to: study, language: language, audit: audit, now: call.now)
            }
            let participant = try await context.store.findParticipantState(enrolment.id, now: call.now)
            return .json(
                isNew ? .created : .ok,
                try await context.response(
                    enrolment, study: try await context.study(of: enrolment).study,
                    pausedSince: participant?.status.pausedSince(at: call.now)))
        }
    }

    /// The live version, whose consent text the request must name.
    private func consentedStudy(_ call: Call<Identity>, _ code: String) async throws -> Study {
        guard let live = try await context.catalogue.findLive(code) else { throw Problem(.notFound) }
        let study = live.published.study
        guard call.body["version"]?.string == study.consentVersion else {
            throw Problem(.consentOutdated, "The current consent text is version \(study.consentVersion).")
        }
        return study
    }
}
