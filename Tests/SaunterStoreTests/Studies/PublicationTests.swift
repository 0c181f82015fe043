import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct PublicationTests {
    static func instrument(_ code: String, digest: String = "i1") -> Publication.Instrument {
        Publication.Instrument(
            code: code, version: "1.0.0", digest: digest, structure: ["code": .string(code)])
    }

    static func publication(
        _ study: String = "walks", version: String = "1.0.0", digest: String = "d1",
        instruments: [Publication.Instrument] = [instrument("who_5")]
    ) -> Publication {
        Publication(
            study: study, version: version, digest: digest,
            files: ["study.yaml": "code: \(study)\n", "text.de.yaml": "Grüße \u{1F6B6}\n\ttab"],
            instruments: instruments)
    }

    @Test func `a published version is stored unchanged and is live`() async throws {
        try await StoreFixture.with { fixture in
            #expect(try await fixture.store.publish(Self.publication(), now: .start))

            let found = try #require(try await fixture.store.findStudyFiles("walks", version: "1.0.0"))
            #expect(found.files == Self.publication().files)
            #expect(found.digest == "d1")
            #expect(try await fixture.store.findStudy("walks")?.liveVersion == "1.0.0")
            #expect(try await fixture.store.listStudies().map(\.study) == ["walks"])
            #expect(try await fixture.store.findStudy("other") == nil)
            #expect(try await fixture.store.findStudyFiles("walks", version: "2.0.0") == nil)
        }
    }

    @Test func `publishing the same content again is not new`() async throws {
        try await StoreFixture.with { fixture in
            let first = try await fixture.store.publish(Self.publication(), now: .start)
            let again = try await fixture.store.publish(Self.publication(), now: Instant.start.plus(days: 1))

            #expect(first)
            #expect(!again)
            #expect(try await fixture.count("research.study_version") == 1)
        }
    }

    @Test func `changed content of a published version is rejected and changes nothing`() async throws {
        try await StoreFixture.with { fixture in
            _ = try await fixture.store.publish(Self.publication(), now: .start)

            let changed = Self.publication(digest: "d2", instruments: [Self.instrument("new")])
            let fault = await #expect(throws: PublicationFault.self) {
                try await fixture.store.publish(changed, now: .start)
            }

            guard case .studyVersionTaken("walks", "1.0.0") = fault else {
                Issue.record("got \(String(describing: fault))")
                return
            }
            #expect(try await fixture.store.findStudyFiles("walks", version: "1.0.0")?.digest == "d1")
            #expect(try await fixture.count("research.questionnaire_version") == 1)
        }
    }

    @Test func `an instrument version with other content is rejected together with the study version`()
        async throws
    {
        try await StoreFixture.with { fixture in
            _ = try await fixture.store.publish(Self.publication(), now: .start)
            let conflicting = Self.publication(
                version: "2.0.0", digest: "d2",
                instruments: [Self.instrument("a_new_one"), Self.instrument("who_5", digest: "i2")])

            let fault = await #expect(throws: PublicationFault.self) {
                try await fixture.store.publish(conflicting, now: .start)
            }

            guard case .questionnaireVersionTaken("who_5", "1.0.0") = fault else {
                Issue.record("got \(String(describing: fault))")
                return
            }
            #expect(try await fixture.store.findStudy("walks")?.liveVersion == "1.0.0")
            #expect(try await fixture.store.findStudyFiles("walks", version: "2.0.0") == nil)
            #expect(try await fixture.count("research.questionnaire_version") == 1)
        }
    }

    @Test
    func `a new version becomes live, and so does an older one that is published again`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let store = fixture.store
            _ = try await store.publish(Self.publication(), now: .start)
            #expect(try await store.publish(Self.publication(version: "2.0.0", digest: "d2"), now: .start))
            #expect(try await store.findStudy("walks")?.liveVersion == "2.0.0")

            #expect(try await store.publish(Self.publication(), now: .start) == false)

            #expect(try await store.findStudy("walks")?.liveVersion == "1.0.0")
        }
    }

    @Test func `only one of many concurrent publications of a version is new, and none fails`() async throws {
        try await StoreFixture.with(connections: 8) { fixture in
            let new = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await fixture.store.publish(Self.publication(), now: .start) }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(new == 1)
        }
    }

    @Test func `studies that share instruments can be published concurrently, in any order of instruments`()
        async throws
    {
        try await StoreFixture.with(connections: 8) { fixture in
            let shared = (0..<12).map { Self.instrument("shared_\($0)") }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<8 {
                    let instruments = number.isMultiple(of: 2) ? shared : shared.reversed()
                    group.addTask {
                        try await fixture.store.publish(
                            Self.publication("study-\(number)", instruments: instruments), now: .start)
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await fixture.count("research.study_version") == 8)
            #expect(try await fixture.count("research.questionnaire_version") == 12)
        }
    }

    @Test func `the catalogue loads a version once and finds the live one`() async throws {
        try await StoreFixture.with { fixture in
            _ = try await fixture.store.publish(Self.publication(), now: .start)
            let catalogue = StudyCatalogue(store: fixture.store) { files, code in
                #expect(files == Self.publication().files)
                return StudyFixture.make(code: code)
            }

            let live = try #require(try await catalogue.findLive("walks"))
            try await fixture.run("delete from research.study_version")

            #expect(live.published.digest == "d1")
            #expect(live.row.liveVersion == "1.0.0")
            #expect(try await catalogue.find("walks", version: "1.0.0")?.study == StudyFixture.study)
            #expect(try await catalogue.find("walks", version: "3.0.0") == nil)
            #expect(try await catalogue.findLive("none") == nil)
        }
    }
}
