import Postgres
import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct StudyDraftTests {
    private static let files = [
        "studies/walks/study.yaml": "code: walks\n",
        "studies/walks/content/text.de.yaml": "title: Grüße \u{1F6B6}\n",
    ]

    /// The action of each audit entry, in the order of writing.
    private static func actions(_ fixture: StoreFixture) async throws -> [String] {
        try await fixture.values("select action as value from audit.entry order by entry_id")
    }

    /// The fault with which a change is rejected.
    private static func rejection(_ change: () async throws -> Void) async throws -> StudyDraftFault? {
        do {
            try await change()
            return nil
        } catch let fault as StudyDraftFault {
            return fault
        }
    }

    @Test func `a draft is stored unchanged, and each change adds 1 to its revision`() async throws {
        try await StoreFixture.with { fixture in
            let (store, editor) = (fixture.store, try await fixture.makeAccount())
            let first = try await store.saveDraft(
                Self.files, of: "walks", basedOn: "1.0.0", expecting: nil, by: editor, now: .start)
            var changed = Self.files
            changed["studies/walks/study.yaml"] = "code: walks\nversion: 1.1.0\n"
            changed["studies/walks/content/text.de.yaml"] = nil
            changed["studies/walks/media/a.png"] = "data:;base64,AA=="
            let other = try await fixture.makeAccount()

            let second = try await store.saveDraft(
                changed, of: "walks", basedOn: "1.0.0", expecting: 1, by: other,
                now: Instant.start.plus(days: 1))

            #expect(first.revision == 1 && second.revision == 2)
            let found = try #require(try await store.findDraft(of: "walks"))
            #expect(found.files == changed)
            #expect(found.revision == 2 && found.basedOn == "1.0.0")
            #expect(found.changedBy == other && found.changedAt == Instant.start.plus(days: 1))
            #expect(try await store.findDraftRevision(of: "walks") == 2)
            #expect(try await store.findDraft(of: "other") == nil)
        }
    }

    @Test func `only files that differ are written`() async throws {
        try await StoreFixture.with { fixture in
            let (store, editor) = (fixture.store, try await fixture.makeAccount())
            _ = try await store.saveDraft(
                Self.files, of: "walks", basedOn: nil, expecting: nil, by: editor, now: .start)
            let before: [String] = try await fixture.values(
                "select path || xmin as value from research.study_draft_file order by path")
            var changed = Self.files
            changed["studies/walks/study.yaml"] = "code: walks # changed\n"

            _ = try await store.saveDraft(
                changed, of: "walks", basedOn: nil, expecting: 1, by: editor, now: .start)

            let after: [String] = try await fixture.values(
                "select path || xmin as value from research.study_draft_file order by path")
            #expect(before.count == 2 && before[0] == after[0] && before[1] != after[1])
        }
    }

    @Test func `a stale revision changes nothing and names the current one`() async throws {
        try await StoreFixture.with { fixture in
            let (store, editor) = (fixture.store, try await fixture.makeAccount())
            func save(expecting revision: Int?) async throws {
                _ = try await store.saveDraft(
                    ["a": "\(revision ?? 0)"], of: "walks", basedOn: nil, expecting: revision, by: editor,
                    now: .start)
            }
            guard case .changed(nil)? = try await Self.rejection({ try await save(expecting: 1) }) else {
                Issue.record("there is no draft")
                return
            }
            try await save(expecting: nil)
            try await save(expecting: 1)

            for stale in [nil, 1, 3] {
                guard case .changed(2)? = try await Self.rejection({ try await save(expecting: stale) })
                else {
                    Issue.record("revision \(String(describing: stale)) is stale")
                    return
                }
            }
            let fault = try await Self.rejection {
                try await store.deleteDraft(of: "walks", expecting: 1, by: editor, now: .start)
            }
            guard case .changed(2)? = fault else {
                Issue.record("a stale draft was deleted")
                return
            }
            #expect(try await store.findDraft(of: "walks")?.files == ["a": "1"])
        }
    }

    @Test func `of many concurrent changes with one revision, one succeeds`() async throws {
        try await StoreFixture.with(connections: 8) { fixture in
            let (store, editor) = (fixture.store, try await fixture.makeAccount())
            _ = try await store.saveDraft(
                ["a": "0"], of: "walks", basedOn: nil, expecting: nil, by: editor, now: .start)
            let succeeded = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 1...8 {
                    group.addTask {
                        do {
                            _ = try await store.saveDraft(
                                ["a": "\(number)"], of: "walks", basedOn: nil, expecting: 1, by: editor,
                                now: .start)
                            return true
                        } catch is StudyDraftFault {
                            return false
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }

            #expect(succeeded == 1)
            #expect(try await store.findDraftRevision(of: "walks") == 2)
        }
    }

    @Test func `the audit has one entry per account, study and hour`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let (ada, ben) = (try await fixture.makeAccount(), try await fixture.makeAccount())
            let hour = Instant("2026-11-21T10:00:00Z")!
            let changes: [(account: AccountID, minutes: Int)] = [
                (ada, 0), (ada, 59), (ben, 30), (ada, 45), (ben, 59), (ada, 60), (ben, 61), (ben, 119),
            ]
            for (index, change) in changes.enumerated() {
                _ = try await store.saveDraft(
                    ["a": "\(index)"], of: "walks", basedOn: nil, expecting: index == 0 ? nil : index,
                    by: change.account, now: hour.adding(seconds: change.minutes * 60))
            }

            #expect(try await Self.actions(fixture) == Array(repeating: "draft_changed", count: 4))
        }
    }

    @Test func `a deleted draft is gone with its files, and no later draft has one of its revisions`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let (store, editor) = (fixture.store, try await fixture.makeAccount())
            func save(_ text: String, expecting revision: Int?) async throws -> Int {
                try await store.saveDraft(
                    ["a": text], of: "walks", basedOn: nil, expecting: revision, by: editor, now: .start
                ).revision
            }
            #expect(try await save("1", expecting: nil) == 1)
            #expect(try await save("2", expecting: 1) == 2)
            try await store.deleteDraft(of: "walks", expecting: 2, by: editor, now: .start)
            #expect(try await store.findDraft(of: "walks") == nil)
            #expect(try await fixture.count("research.study_draft_file") == 0)

            #expect(try await save("3", expecting: nil) == 3)

            // A page of the first draft changes nothing.
            for stale in [1, 2] {
                guard
                    case .changed(3)? = try await Self.rejection({
                        _ = try await save("stale", expecting: stale)
                    })
                else {
                    Issue.record("revision \(stale) was used again")
                    return
                }
            }
            #expect(try await store.findDraft(of: "walks")?.files == ["a": "3"])
            #expect(try await Self.actions(fixture) == ["draft_changed", "draft_deleted", "draft_changed"])
        }
    }

    @Test func `only the revision that was checked is published, and its draft ends with it`() async throws {
        try await StoreFixture.with { fixture in
            let (store, editor) = (fixture.store, try await fixture.makeAccount())
            let publication = PublicationTests.publication("walks")
            func publish(_ revision: Int) async throws {
                _ = try await store.publish(
                    publication, edition: nil, ending: PublishedDraft(revision: revision, account: editor),
                    now: .start)
            }
            _ = try await store.saveDraft(
                Self.files, of: "walks", basedOn: nil, expecting: nil, by: editor, now: .start)
            // Another editor saves while the first one publishes.
            _ = try await store.saveDraft(
                ["a": "other"], of: "walks", basedOn: nil, expecting: 1, by: editor, now: .start)

            guard case .changed(2)? = try await Self.rejection({ try await publish(1) }) else {
                Issue.record("a changed draft was published")
                return
            }
            #expect(try await store.findStudy("walks") == nil)
            try await publish(2)

            #expect(try await store.findStudy("walks")?.liveVersion == publication.version)
            #expect(try await store.findDraft(of: "walks") == nil)
            guard case .changed(nil)? = try await Self.rejection({ try await publish(2) }) else {
                Issue.record("a draft was published twice")
                return
            }
        }
    }

    @Test func `a library that is older than the live edition is not published from a draft`() async throws {
        try await StoreFixture.with { fixture in
            let (store, editor) = (fixture.store, try await fixture.makeAccount())
            // The digit of which the digest consists.
            func edition(_ digit: Character) -> EditionDraft {
                let digest = String(repeating: digit, count: 64)
                return EditionDraft(
                    study: "walks", digest: digest, files: ["a": digest], media: [], items: [:])
            }
            func draft(_ number: Int?) async throws -> PublishedDraft {
                let draft = try await store.saveDraft(
                    Self.files, of: "walks", basedOn: nil, edition: number, expecting: nil, by: editor,
                    now: .start)
                #expect(draft.edition == number)
                #expect(try await store.findDraft(of: "walks")?.edition == number)
                return PublishedDraft(revision: draft.revision, account: editor)
            }
            let publication = PublicationTests.publication("walks")
            _ = try await store.publish(
                publication, edition: edition("1"), ending: nil, now: .start)
            let first = try await draft(1)
            // `saunter publish` is not bound to a draft.
            _ = try await store.publish(edition("2"), now: .start)

            await #expect(throws: EditionOutdated.self) {
                try await store.publish(publication, edition: edition("3"), ending: first, now: .start)
            }
            #expect(try await store.findLiveEdition(of: "walks") == 2)
            #expect(try await store.findDraftRevision(of: "walks") == first.revision)
            let taken = try await store.saveDraft(
                Self.files, of: "walks", basedOn: nil, edition: 2, expecting: first.revision, by: editor,
                now: .start)
            let done = try await store.publish(
                publication, edition: edition("3"),
                ending: PublishedDraft(revision: taken.revision, account: editor), now: .start)
            #expect(done.edition?.edition == 3 && done.edition?.isNew == true)
            // The same library as the live one is never outdated.
            let same = try await store.publish(
                publication, edition: edition("3"), ending: try await draft(nil), now: .start)
            #expect(same.edition?.edition == 3 && same.edition?.isNew == false)
        }
    }

    @Test func `the creator of a study gets three roles that see arms, and the study is listed`() async throws
    {
        try await StoreFixture.with { fixture in
            let (store, ada) = (fixture.store, try await fixture.makeAccount())

            try await store.createStudy("walks", files: Self.files, by: ada, requestID: "r-1", now: .start)

            let grants = try await store.listGrants(ada)
            #expect(Set(grants.map(\.role)) == [.editor, .researcher, .coordinator])
            #expect(grants.allSatisfy { $0.study == "walks" && $0.seesArms && !$0.fullExport })
            #expect(
                try await Self.actions(fixture)
                    == ["study_created", "role_granted", "role_granted", "role_granted"])
            let listed = try await store.listUnpublishedDrafts(of: ["walks", "other"])
            #expect(listed.map(\.study) == ["walks"])
            #expect(listed.first?.files == Self.files)
            #expect(try await store.listUnpublishedDrafts(of: nil).count == 1)
            #expect(try await store.listUnpublishedDrafts(of: []).isEmpty)
            _ = try await store.publish(PublicationTests.publication(), now: .start)
            #expect(try await store.listUnpublishedDrafts(of: nil).isEmpty)
        }
    }

    @Test func `the code of a published study, of a draft or of another team is taken`() async throws {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            let (ada, ben) = (try await fixture.makeAccount(), try await fixture.makeAccount())
            _ = try await store.publish(PublicationTests.publication("published"), now: .start)
            try await store.createStudy("drafted", files: ["a": "1"], by: ada, now: .start)
            try await store.upsert(Grant(role: .researcher, study: "promised"), for: ben, now: .start)

            for code in ["published", "drafted", "promised"] {
                await #expect(throws: StudyCodeTaken.self) {
                    try await store.createStudy(code, files: ["a": "2"], by: ada, now: .start)
                }
            }
            #expect(try await store.findDraft(of: "drafted")?.files == ["a": "1"])
            #expect(try await store.findDraft(of: "promised") == nil)
            #expect(try await !store.listGrants(ada).contains { $0.study == "promised" })
        }
    }

    @Test func `the creator can begin again after discarding the first draft`() async throws {
        try await StoreFixture.with { fixture in
            let (store, ada) = (fixture.store, try await fixture.makeAccount())
            try await store.createStudy("walks", files: ["a": "1"], by: ada, now: .start)
            try await store.deleteDraft(of: "walks", expecting: 1, by: ada, now: .start)

            try await store.createStudy("walks", files: ["a": "2"], by: ada, now: .start)

            let draft = try #require(try await store.findDraft(of: "walks"))
            #expect(draft.files == ["a": "2"] && draft.revision == 2)
            #expect(try await store.listGrants(ada).count == 3)
        }
    }

    @Test func `of many concurrent creations of one study, one succeeds`() async throws {
        try await StoreFixture.with(connections: 8) { fixture in
            let store = fixture.store
            var accounts: [AccountID] = []
            for _ in 0..<4 { accounts.append(try await fixture.makeAccount()) }
            let succeeded = try await withThrowingTaskGroup(of: Bool.self) { group in
                for account in accounts {
                    group.addTask {
                        do {
                            try await store.createStudy("walks", files: ["a": "1"], by: account, now: .start)
                            return true
                        } catch is StudyCodeTaken {
                            return false
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }

            #expect(succeeded == 1)
            #expect(try await fixture.count("identity.account_grant") == 3)
        }
    }
}
