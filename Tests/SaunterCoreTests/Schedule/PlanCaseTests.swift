import Foundation
import SaunterTesting
import Testing

/// Random participants of random studies, most of them near a change of the clock. `SAUNTER_CASES` says how many
/// (24,000 without it); `saunter-bench-schedule campaign` goes on where these end.
@Suite("Plans of random participants")
struct PlanCaseTests {
    /// There are 24 chunks.
    private static let perChunk: UInt64 = {
        let cases = ProcessInfo.processInfo.environment["SAUNTER_CASES"].flatMap { UInt64($0) } ?? 24_000
        return min(max(cases / 24, 1), 1_000_000)
    }()

    /// The first few that break a rule.
    private func failures(in chunk: UInt64, _ judge: (PlanCase) -> [String]) -> [String] {
        var found: [String] = []
        for seed in chunk * Self.perChunk..<(chunk + 1) * Self.perChunk where found.count < 5 {
            found += judge(PlanCase(seed: seed))
        }
        return found
    }

    @Test(arguments: 0..<UInt64(12))
    func `windows keep their order and length, overlap nowhere, and no planned day is lost`(chunk: UInt64) {
        #expect(failures(in: chunk) { $0.violations() } == [])
    }

    @Test(arguments: 0..<UInt64(4))
    func `random moments are apart and between their times`(chunk: UInt64) {
        #expect(failures(in: chunk) { $0.randomViolations() } == [])
    }

    @Test(arguments: 20..<UInt64(28))
    func `through any course, reconciling freezes, carries over, cancels and creates as it should`(
        chunk: UInt64
    ) {
        #expect(failures(in: chunk) { $0.historyViolations() } == [])
    }
}
