import HTTPTypes
import Logging
import SaunterCore
import SaunterPacks
import SaunterStore

/// Routes that preview and perform the publication of a draft.
struct PublicationRoutes: Sendable {
    let context: ServerContext

    /// The number of participants after which the comparison ends, as in the preview of a published version.
    private static let maximumParticipants = 1000
    /// How long one request moves participants to the version. A proxy usually waits for 60 seconds.
    private static let movingTime = Duration.seconds(25)

    var preview: Route {
        Route(
            .get, "/v1/studies/{study}/draft/preview", who: .editor, tag: "Drafts",
            summary: "Preview the publication of the draft",
            description: """
                States what prevents the publication, and what it would do now: to the occasions of enrolled \
                participants, to stored scores, and to the library. Nothing is written. The effect is computed like that \
                of `/v1/studies/{study}/versions/{version}/preview`. In a blinded study the caller needs the permission \
                to see arms.
                """,
            parameters: [.study],
            outcomes: [.json(.ok, "The preview at this time.", PublicationResponse.preview)],
            problems: [.notFound, .armsBlinded]
        ) { call in
            let plan = try await plan(for: context.fetchDraft(call), now: call.now)
            return .json(.ok, plan.json)
        }
    }

    var create: Route {
        Route(
            .post, "/v1/studies/{study}/draft/publication", who: .editor, tag: "Drafts",
            summary: "Publish the draft",
            description: """
                Does what `saunter publish` does: stores the version, makes it live, scores stored sheets again if their \
                key changed, publishes the library as an edition if it changed, and, if `move_enrolments` is true, moves \
                participants of other versions. Then the draft ends. A draft with a changed library only publishes an \
                edition. The server writes audit entries.

                Each step is one transaction and is not repeated, so the same request after an interruption completes \
                the publication. One request moves participants for at most 25 seconds. If `remaining` is not 0, send \
                it again. In a browser session the password must have been entered within 10 minutes \
                (`POST /v1/session/confirmation`). In a blinded study the caller needs the permission to see arms.
                """,
            parameters: [.study],
            body: .json(
                .named(
                    "PublicationRequest",
                    .object([
                        .required(
                            "confirm", .string(minLength: 1, maxLength: 64),
                            "The code of the study again, so that no other study is published by mistake."),
                        .required(
                            "move_enrolments", .boolean,
                            "Whether participants who are enrolled in other versions follow this one."),
                        .optional(
                            "expected", PublicationNumbers.expectedSchema,
                            "Numbers of the preview. The response states those that were different."),
                    ])),
                example: [
                    "confirm": "mindful-walking", "move_enrolments": true, "expected": ["enrolments": 12],
                ]),
            outcomes: [.json(.ok, "What was published.", PublicationResponse.result)],
            problems: [
                .notFound, .armsBlinded, .notPublishable, .preconditionFailed, .preconditionRequired,
            ]
        ) { call in
            try call.caller.requireConfirmedPassword(at: call.now)
            let study = try call.text("study")
            let draft = try await context.fetchDraft(call)
            guard call.body["confirm"]?.string == study else {
                throw Fault(
                    pointer: "/confirm", code: "not_a_value", detail: "It must be the code of the study.")
            }
            try call.requireMatch(EntityTag(String(draft.revision)))
            return .json(.ok, try await publish(draft, call))
        }
    }

    // MARK: Publication

    private func publish(_ draft: StudyDraft, _ call: Call<Identity>) async throws -> JSON {
        let plan = try await plan(for: draft, now: call.now)
        guard let publication = plan.publication, plan.problems.isEmpty, let effect = plan.effect else {
            throw Self.notPublishable(plan.problems)
        }
        // The plan took seconds. A draft that was changed or discarded meanwhile is not published.
        let current = try await context.store.findDraftRevision(of: draft.study)
        guard current == draft.revision else { throw Problem(StudyDraftFault.changed(current: current)) }
        let parts: PublishedParts
        do {
            parts = try await publication.publish(
                to: context.store, audit: audit(of: publication, call), now: call.now
            ) { error in
                call.logger.warning(
                    "the views of answers are incomplete", metadata: ["error": "\(error)"])
            }
        } catch let fault as StudyPublicationFault {
            // Another version was published since the plan was made.
            throw Self.notPublishable(fault.lines)
        } catch let fault as PublicationFault {
            throw Self.notPublishable([fault.description])
        }
        var moved: Int?
        var remaining = 0
        if call.body["move_enrolments"]?.bool == true {
            let clock = ContinuousClock()
            let end = clock.now + Self.movingTime
            moved = try await context.store.moveEnrolments(
                to: publication.study, now: call.now, while: { clock.now < end })
            remaining = try await context.store.countEnrolmentsBehind(publication.study)
        }
        let hasChanged = parts.isNew || parts.edition?.isNew == true || plan.kind != .nothing
        let isEnded = try await remaining == 0 ? end(draft, hasChanged: hasChanged, call) : false
        return [
            "kind": .string(plan.kind.rawValue), "version": .string(publication.study.version),
            "published": .bool(parts.isNew),
            "edition": .optional(parts.edition?.edition, JSON.int),
            "edition_published": .bool(parts.edition?.isNew ?? false),
            "effect": effect.json(), "rescoring": .optional(parts.rescoring, \.json),
            "moved": .optional(moved, JSON.int), "remaining": .int(remaining),
            "draft_ended": .bool(isEnded),
            "differs": PublicationNumbers(effect, parts.rescoring).differences(from: call.body["expected"]),
        ]
    }

    /// Ends the draft, whose content is published.
    /// - Parameter hasChanged: whether the publication has changed anything, and has audit entries.
    /// - Returns: false if another editor has changed it since. Then it stays.
    private func end(
        _ draft: StudyDraft, hasChanged: Bool, _ call: Call<Identity>
    ) async throws -> Bool {
        do {
            try await context.store.deleteDraft(
                of: draft.study, expecting: draft.revision, by: call.caller.account,
                requestID: call.requestID, isPublished: hasChanged, now: call.now)
            return true
        } catch StudyDraftFault.changed(let current) {
            // Without a revision, another request has published the same draft.
            return current == nil
        }
    }

    private func audit(
        of publication: StudyPublication, _ call: Call<Identity>
    ) -> (version: AuditEntry, edition: AuditEntry) {
        func entry(_ action: String, _ detail: JSONObject) -> AuditEntry {
            AuditEntry(
                actor: .account(call.caller.account), action: action, study: publication.study.code,
                requestID: call.requestID, detail: detail)
        }
        return (
            entry("version_published", ["version": .string(publication.study.version)]),
            entry("edition_published", [:])
        )
    }

    private static func notPublishable(_ problems: [String]) -> Problem {
        var problem = Problem(.notPublishable, "Nothing was published.")
        problem.members["problems"] = .strings(problems)
        return problem
    }

    // MARK: Preview

    private func plan(for draft: StudyDraft, now: Instant) async throws -> PublicationPlan {
        let files = PackFiles(files: draft.files)
        var plan = PublicationPlan(
            revision: draft.revision, version: files.version(of: draft.study),
            liveVersion: try await context.store.findStudy(draft.study)?.liveVersion)
        let liveEdition = try await context.store.findLiveEdition(of: draft.study)
        plan.edition = liveEdition
        plan.problems = PackCheck.run(files, study: draft.study).faults.map(\.description)
        guard plan.problems.isEmpty else { return plan }
        let publication = try StudyPublication(files, study: draft.study)
        plan.publication = publication
        plan.problems = try await publication.problems(in: context.store, context.catalogue)
        let code = publication.study.code
        let effect = try await context.store.previewEffect(
            of: publication.study,
            loadVersion: { try await context.catalogue.find(code, version: $0)?.study }, now: now,
            limit: Self.maximumParticipants)
        plan.effect = effect
        plan.rescoring = try await RescoringEffect.preview(
            of: publication.study, in: context.store, context.catalogue)
        if let edition = publication.edition {
            let digest = try await liveEdition.asyncFlatMap {
                try await context.store.findEdition($0, of: code)?.digest
            }
            plan.isNewEdition = edition.digest != digest
            plan.edition = (liveEdition ?? 0) + (plan.isNewEdition ? 1 : 0)
        }
        let stored = try await plan.liveVersion.asyncFlatMap {
            try await context.store.findStudyFiles(code, version: $0)?.digest
        }
        let isLive = plan.liveVersion == plan.version && stored == publication.publication.digest
        plan.kind =
            !isLive ? .version : plan.isNewEdition ? .edition : effect.enrolments > 0 ? .version : .nothing
        return plan
    }
}

/// What the publication of a draft would do.
private struct PublicationPlan {
    let revision: Int
    let version: String?
    let liveVersion: String?
    /// Nil if the draft has faults.
    var publication: StudyPublication?
    var problems: [String] = []
    var kind = PublicationKind.version
    /// The number that the edition of the library will have.
    var edition: Int?
    var isNewEdition = false
    var effect: PublicationEffect?
    var rescoring: RescoringEffect?

    init(revision: Int, version: String?, liveVersion: String?) {
        self.revision = revision
        self.version = version
        self.liveVersion = liveVersion
    }

    var json: JSON {
        [
            "revision": .int(revision), "publishable": .bool(problems.isEmpty && kind != .nothing),
            "problems": .strings(problems), "kind": .string(kind.rawValue),
            "version": .optional(version, JSON.string),
            "live_version": .optional(liveVersion, JSON.string),
            "edition": .optional(edition, JSON.int), "edition_is_new": .bool(isNewEdition),
            "effect": .optional(effect) { $0.json() }, "rescoring": .optional(rescoring, \.json),
            "numbers": .optional(effect) { PublicationNumbers($0, rescoring).json },
        ]
    }
}

extension Optional {
    /// `flatMap` with an asynchronous function.
    fileprivate func asyncFlatMap<Value>(
        _ transform: (Wrapped) async throws -> Value?
    ) async rethrows -> Value? {
        guard let self else { return nil }
        return try await transform(self)
    }
}
