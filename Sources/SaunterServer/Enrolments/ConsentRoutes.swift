import HTTPTypes
import SaunterCore
import SaunterStore

/// Consenting anew, when a study's consent text has become another.
struct ConsentRoutes: Sendable {
    let context: ServerContext

    var create: Route {
        Route(
            .post, "/v1/enrolments/{id}/consents", who: .participant, tag: "Enrolments",
            summary: "Consent to the text that is in force now",
            description: """
                Kept with its time, version, language and the text's digest. From then on the enrolment follows the study's live version; until \
                then it goes on under the version that was consented to, and the overview says `consent_due`. The same again changes nothing.
                """,
            parameters: [.enrolment],
            body: .json(
                .named(
                    "ConsentRequest",
                    .object([
                        .required("version", .string(minLength: 1)), .required("accepted", .boolean),
                    ])), example: ["version": "2.0.0", "accepted": true]),
            outcomes: [
                .json(.created, "Consented now.", EnrolmentWire.schema),
                .json(.ok, "Consented before.", EnrolmentWire.schema),
            ], problems: [.enrolmentWithdrawn, .consentOutdated]
        ) { call in
            let stored = try await context.enrolment(call)
            guard stored.state == .active else { throw Problem(.enrolmentWithdrawn) }
            guard let live = try await context.catalogue.findLive(stored.study) else {
                throw Problem(.notFound)
            }
            let study = live.published.study
            guard call.body["accepted"]?.bool == true else {
                throw Problem(
                    .bodyInvalid,
                    Faults([
                        Fault(
                            pointer: "/accepted", code: "not_accepted",
                            detail: "Whoever does not accept goes on as before, or leaves the study.")
                    ]))
            }
            guard call.body["version"]?.string == study.consentVersion else {
                throw Problem(
                    .consentOutdated, "The consent text in force is version \(study.consentVersion).")
            }
            try await context.accounts.journeys.admit(.account(call.caller.account), now: call.now)
            let audit = AuditEntry(
                actor: .account(call.caller.account), action: "consented", study: stored.study,
                enrolment: stored.id, requestID: call.requestID,
                detail: ["consent_version": .string(study.consentVersion)])
            let language =
                study.languages.contains(stored.language) ? stored.language : study.languages[0]
            let (enrolment, isNew) = try await context.store.consent(
                stored.id, to: study, language: language, audit: audit, now: call.now)
            let participation = try await context.store.findParticipation(enrolment.id, now: call.now)
            return .json(
                isNew ? .created : .ok,
                EnrolmentWire(
                    enrolment, study: try await context.study(of: enrolment).study,
                    paused: participation?.status.isPaused(at: call.now) ?? false
                ).json)
        }
    }
}
