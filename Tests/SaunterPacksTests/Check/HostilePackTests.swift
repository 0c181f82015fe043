import Foundation
import Testing

@testable import SaunterPacks

/// Damaged copies of the real packs: the parser terminates, reports the position of the damage, and reports the same
/// again. `SAUNTER_FUZZ` multiplies the number of rounds.
@Suite struct HostilePackTests {
    private static let rounds = ProcessInfo.processInfo.environment["SAUNTER_FUZZ"].flatMap { Int($0) } ?? 1

    @Test(arguments: RealPacks.codes)
    func `a damaged instrument is read or rejected and never stops the process`(code: String) throws {
        let valid = try RealPacks.instrument(code)
        var rejected = 0
        for round in 0..<20 * Self.rounds {
            var mutation = Mutation(seed: UInt64(round) &+ UInt64(code.utf8.count) << 32)
            let files = mutation.damaged(valid)

            let faults = Self.faults { () throws(PackFaults) in
                _ = try InstrumentPack.check(files, code: code, version: "1.0.0")
            }

            expectExistingLines(faults, in: files, round)
            if !faults.isEmpty { rejected += 1 }
        }
        #expect(rejected > 6 * Self.rounds)
    }

    @Test func `a damaged study is read or rejected and never stops the process`() throws {
        let valid = try RealPacks.study()
        let own = valid.folder("studies/mindful-walking/")
        var rejected = 0
        for round in 0..<60 * Self.rounds {
            var mutation = Mutation(seed: UInt64(round))
            let files = PackFiles(
                files: mutation.damaged(own).files.merging(valid.folder("instruments/").files) { first, _ in
                    first
                })

            let faults = Self.faults { () throws(PackFaults) in
                _ = try StudyPack.read(files, study: "mindful-walking")
            }

            expectExistingLines(faults, in: files, round)
            if round % 10 == 0 {
                let again = Self.faults { () throws(PackFaults) in
                    _ = try StudyPack.read(files, study: "mindful-walking")
                }
                #expect(again == faults)
            }
            if !faults.isEmpty { rejected += 1 }
        }
        #expect(rejected > 20 * Self.rounds)
    }

    @Test func `a file of the maximum size is rejected quickly`() throws {
        let folder = "instruments/big/1.0.0/"
        func pack(_ items: String, text: String = "title: a\nitems: {a: b}\n") -> [PackFault] {
            let head = "code: big\nversion: 1.0.0\nlanguages: [en]\n"
            let files = PackFiles(files: [
                folder + "questionnaire.yaml": head + items, folder + "text.en.yaml": text,
            ])
            return Self.faults { () throws(PackFaults) in
                _ = try InstrumentPack.check(files, code: "big", version: "1.0.0")
            }
        }
        let options = (0..<150_000).map(String.init).joined(separator: ",")
        let items = (0..<9000).map { "  - {linkId: i\($0), type: choice, answerOption: {set: s}}" }
            .joined(separator: "\n")
        let keys = (0..<90_000).map { "k\($0): 1" }.joined(separator: "\n")

        let time = ContinuousClock().measure {
            #expect(
                !pack(
                    "optionSets: {s: [\(options)]}\nitem:\n  - {linkId: a, type: choice, answerOption: {set: s}}"
                ).isEmpty)
            #expect(!pack("optionSets: {s: [1]}\nitem:\n" + items).isEmpty)
            #expect(!pack(keys).isEmpty)
            #expect(
                !pack(
                    "item: [{linkId: a, type: text}]",
                    text: "title: a\nitems:\n  " + keys.replacing("\n", with: "\n  ")
                ).isEmpty)
        }

        #expect(time < .seconds(120))
    }

    private static func faults(_ read: () throws(PackFaults) -> Void) -> [PackFault] {
        do {
            try read()
            return []
        } catch {
            #expect(!error.list.isEmpty)
            return error.list
        }
    }

    /// Each fault has a file of the pack and a line of this file.
    private func expectExistingLines(_ faults: [PackFault], in files: PackFiles, _ round: Int) {
        for fault in faults where fault.line > 1 {
            let lines =
                files[fault.file]?.withPlainLineEnds.unicodeScalars
                .count { ["\n", "\u{85}", "\u{2028}", "\u{2029}"].contains($0) } ?? 0
            #expect(fault.line <= lines + 2, "round \(round): \(fault)")
        }
    }
}
