import SaunterCore
import Testing

@testable import SaunterWeb

/// Which pages the menu of a study has.
@Suite struct StaffFrameTests {
    private static func pages(_ study: JSON) throws -> Set<StaffStudyPage> {
        let words = try Words(WebFiles(folder: nil)).language(accepting: "en")
        let view = StaffStudyView(study, words)
        return Set(StaffStudyPage.allCases.filter { $0.hasContent(in: view) })
    }

    @Test func `walks and arms are in the menu of studies that have them`() throws {
        let all = Set(StaffStudyPage.allCases)

        #expect(try Self.pages(["study": "a", "has_walks": true, "has_arms": true]) == all)
        #expect(
            try Self.pages(["study": "a", "has_walks": false, "has_arms": true]) == all.subtracting([.walks]))
        #expect(
            try Self.pages(["study": "a", "has_walks": true, "has_arms": false]) == all.subtracting([.arms]))
        // Before the password nothing of the study is known.
        #expect(try Self.pages(["study": "a"]) == all)
    }
}
