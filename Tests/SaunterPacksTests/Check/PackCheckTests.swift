import Foundation
import Testing

@testable import SaunterPacks

@Suite struct PackCheckTests {
    @Test func `all packs of this repository are without faults`() {
        let report = PackCheck.run(paths: [RealPacks.root.path])

        #expect(report.faults.map(\.description) == [])
        #expect(report.studyCount >= 1)
        #expect(report.instrumentCount >= 6)
        #expect(report.vectorCount >= 70)
    }
}
