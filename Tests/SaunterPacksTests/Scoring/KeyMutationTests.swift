import Foundation
import SaunterCore
import Testing

@testable import SaunterPacks

/// The test vectors of every shipped instrument distinguish a wrong key from the right one.
@Suite struct KeyMutationTests {
    @Test(arguments: versions)
    func `no wrong key passes the test vectors of a shipped instrument`(version: Version) throws {
        let files = try PackFiles.load(directory: version.directory)
        let pack = try InstrumentPack.read(files, code: version.code, version: version.version)
        let path = "instruments/\(version.code)/\(version.version)/vectors.csv"
        guard let key = pack.questionnaire.scoring else { return }
        func faults(_ key: ScoringKey) -> Int {
            var questionnaire = pack.questionnaire
            questionnaire.scoring = key
            return VectorRun(files: files, path: path, questionnaire: questionnaire).run().faults.count
        }

        let mutants = KeyMutants(key, items: pack.questionnaire.questions).all
        let undetected = mutants.filter { faults($0.key) == 0 }.map(\.name)

        #expect(faults(key) == 0)
        #expect(!mutants.isEmpty)
        #expect(undetected == [])
    }

    struct Version: Sendable, CustomTestStringConvertible {
        let code: String
        let version: String

        var directory: String {
            RealPacks.root.appending(path: "instruments/\(code)/\(version)").path
        }
        var testDescription: String { "\(code) \(version)" }
    }

    static let versions: [Version] = RealPacks.codes.flatMap { code in
        ((try? FileManager.default.contentsOfDirectory(
            atPath: RealPacks.root.appending(path: "instruments/\(code)").path)) ?? [])
            .filter { !$0.hasPrefix(".") }.sorted().map { Version(code: code, version: $0) }
    }
}
