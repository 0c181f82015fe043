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
                participants of other versions. A draft with a changed library only publishes an edition. The server \
                writes audit entries.

                One transaction stores the version and the edition, makes them live, and ends the draft, if the draft \
                still has the revision in If-Match. If an edition was published after the draft began, and the library \
                of the draft differs from it, the draft is rejected with `edition-outdated`.

                One request moves participants for at most 25 seconds. If `remaining` is not 0, continue with \
                `POST /v1/studies/{study}/versions/{version}/moves`. In a browser session the password must have been \
                entered within 10 minutes (`POST /v1/session/confirmation`). In a blinded study the caller needs the \
                permission to see arms.
                """,
            parameters: [.study],
            body: .json(
                .named(
                    "PublicationRequest",
                    .object([
                        Self.confirmMember,
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
                .notFound, .armsBlinded, .notPublishable, .editionOutdated, .preconditionFailed,
                .preconditionRequired,
            ]
        ) { call in
            try call.caller.requireConfirmedPassword(at: call.now)
            let draft = try await context.fetchDraft(call)
            try Self.requireCode(call)
            try call.requireMatch(EntityTag(String(draft.revision)))
            return .json(.ok, try await publish(draft, call))
        }
    }

    private static let confirmMember = Schema.Member.required(
        "confirm", .string(minLength: 1, maxLength: 64),
        "The code of the study again, so that no other study is changed by mistake.")

    private static func requireCode(_ call: Call<Identity>) throws {
        guard call.body["confirm"]?.string == (try call.text("study")) else {
            throw Fault(
                pointer: "/confirm", code: "not_a_value", detail: "It must be the code of the study.")
        }
    }

    // MARK: Moving participants

    var move: Route {
        Route(
            .post, "/v1/studies/{study}/versions/{version}/moves", who: .editor, tag: "Drafts",
            summary: "Move participants of other versions to the live version",
            description: """
                Continues a publication, or moves participants who stayed on their version. `behind` of \
                `GET /v1/studies/{study}/versions` is their number. Participants who have not consented to the text of \
                the version stay on theirs. One request moves participants for at most 25 seconds. If `remaining` is \
                not 0, send it again. The server writes an audit entry. If another version becomes live in the meantime, \
                the server stops. In a browser session the password must have been entered within 10 minutes \
                (`POST /v1/session/confirmation`).
                """,
            parameters: [.study, .text("version", "The live version of the study.", example: "1.1.0")],
            body: .json(
                .named("EnrolmentMoveRequest", .object([Self.confirmMember])),
                example: ["confirm": "mindful-walking"]),
            outcomes: [
                .json(
                    .ok, "Participants were moved.",
                    .named(
                        "EnrolmentMove",
                        .object([
                            .required("version", .string(), "The version to which they were moved."),
                            .required(
                                "moved", .integer(min: 0), "The number of participants who were moved."),
                            PublicationResponse.remaining, PublicationResponse.supersededBy,
                        ])))
            ], problems: [.notFound, .versionNotLive]
        ) { call in
            try call.caller.requireConfirmedPassword(at: call.now)
            let (study, version) = (try call.text("study"), try call.text("version"))
            guard let published = try await context.catalogue.find(study, version: version) else {
                throw Problem(.notFound)
            }
            try Self.requireCode(call)
            guard try await context.store.findStudy(study)?.liveVersion == version else {
                throw Problem(.versionNotLive)
            }
            let done = try await move(to: published.study, call)
            return .json(
                .ok,
                [
                    "version": .string(version), "moved": .int(done.moved),
                    "remaining": .int(done.remaining),
                    "superseded_by": .optional(done.supersededBy, JSON.string),
                ])
        }
    }

    /// What one request did.
    private struct Move {
        var moved: Int
        var remaining = 0
        /// The version that became live in the meantime.
        var supersededBy: String?
    }

    private func move(to study: Study, _ call: Call<Identity>) async throws -> Move {
        let clock = ContinuousClock()
        let end = clock.now + Self.movingTime
        let audit = AuditEntry(
            actor: .account(call.caller.account), action: "enrolments_moved", study: study.code,
            requestID: call.requestID)
        do {
            let moved = try await context.store.moveEnrolments(
                to: study, audit: audit, now: call.now, while: { clock.now < end })
            return Move(moved: moved, remaining: try await context.store.countEnrolmentsBehind(study))
        } catch let fault as VersionNotLive {
            return Move(moved: fault.moved, supersededBy: fault.live)
        }
    }

    // MARK: Publication

    private func publish(_ draft: StudyDraft, _ call: Call<Identity>) async throws -> JSON {
        let plan = try await plan(for: draft, now: call.now)
        guard plan.library == nil else { throw Problem(.editionOutdated) }
        guard let publication = plan.publication, plan.problems.isEmpty, let effect = plan.effect else {
            throw Self.notPublishable(plan.problems)
        }
        let parts: PublishedParts
        do {
            // The plan took seconds. A draft that was changed or discarded meanwhile is not published.
            parts = try await publication.publish(
                to: context.store,
                ending: PublishedDraft(
                    revision: draft.revision, account: call.caller.account, requestID: call.requestID),
                audit: audit(of: publication, call), now: call.now
            ) { error in
                call.logger.warning(
                    "the views of answers are incomplete", metadata: ["error": "\(error)"])
            }
        } catch let fault as StudyPublicationFault {
            // Another version was published since the plan was made.
            throw Self.notPublishable(fault.lines)
        } catch let fault as PublicationFault {
            throw Self.notPublishable([fault.description])
        } catch let fault as StudyDraftFault {
            throw Problem(fault)
        } catch is EditionOutdated {
            throw Problem(.editionOutdated)
        } catch let fault as MediaNotStored {
            throw Self.notPublishable(fault.digests.map { "the file with the digest \($0) is not stored" })
        }
        let done =
            call.body["move_enrolments"]?.bool == true ? try await move(to: publication.study, call) : nil
        return [
            "kind": .string(plan.kind.rawValue), "version": .string(publication.study.version),
            "published": .bool(parts.isNew),
            "edition": .optional(parts.edition?.edition, JSON.int),
            "edition_published": .bool(parts.edition?.isNew ?? false),
            "effect": effect.json(), "rescoring": .optional(parts.rescoring, \.json),
            "moved": .optional(done?.moved, JSON.int), "remaining": .int(done?.remaining ?? 0),
            "superseded_by": .optional(done?.supersededBy, JSON.string),
            "differs": PublicationNumbers(effect, parts.rescoring).differences(from: call.body["expected"]),
        ]
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
        plan.library = try await context.findNewerLibrary(than: draft)
        plan.problems = try await context.check(draft).faults.map(\.description)
        guard plan.problems.isEmpty else { return plan }
        let publication = try await context.work.run { try StudyPublication(files, study: draft.study) }
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
    /// What the draft has to take over from a newer edition first; nil if there is none.
    var library: DraftLibrary?
    var effect: PublicationEffect?
    var rescoring: RescoringEffect?

    init(revision: Int, version: String?, liveVersion: String?) {
        self.revision = revision
        self.version = version
        self.liveVersion = liveVersion
    }

    var json: JSON {
        [
            "revision": .int(revision),
            "publishable": .bool(problems.isEmpty && kind != .nothing && library == nil),
            "problems": .strings(problems), "kind": .string(kind.rawValue),
            "version": .optional(version, JSON.string),
            "live_version": .optional(liveVersion, JSON.string),
            "edition": .optional(edition, JSON.int), "edition_is_new": .bool(isNewEdition),
            "library": .optional(library, \.json),
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
