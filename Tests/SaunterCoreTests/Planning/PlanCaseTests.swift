import Foundation
import SaunterTesting
import Testing

/// Random participants of random studies, most of them near a zone transition. `SAUNTER_CASES` is the number of cases
/// (default 2,400). `bin/nightly random` continues with further seeds.
@Suite("Plans of random participants")
struct PlanCaseTests {
    /// There are 24 chunks.
    private static let perChunk: UInt64 = {
        let cases = ProcessInfo.processInfo.environment["SAUNTER_CASES"].flatMap { UInt64($0) } ?? 2_400
        return min(max(cases / 24, 1), 1_000_000)
    }()

    /// The first violations.
    private func failures(in chunk: UInt64, _ check: (PlanCase) -> [String]) -> [String] {
        var found: [String] = []
        for seed in chunk * Self.perChunk..<(chunk + 1) * Self.perChunk where found.count < 5 {
            found += check(PlanCase(seed: seed))
        }
        return found
    }

    @Test(arguments: 0..<UInt64(12))
    func `windows keep their order and length, do not overlap, and no planned day is lost`(chunk: UInt64) {
        #expect(failures(in: chunk) { $0.violations() } == [])
    }

    @Test(arguments: 0..<UInt64(4))
    func `random moments keep the minimum gap and are between their times`(chunk: UInt64) {
        #expect(failures(in: chunk) { $0.randomViolations() } == [])
    }

    @Test(arguments: 12..<UInt64(16))
    func `a journey moves nothing that follows a later walk, sheet, event or phase`(chunk: UInt64) {
        #expect(failures(in: chunk) { $0.lateStartViolations() } == [])
    }

    @Test(arguments: 20..<UInt64(28))
    func `in any history, reconciliation follows all its rules`(
        chunk: UInt64
    ) {
        #expect(failures(in: chunk) { $0.historyViolations() } == [])
    }
}
