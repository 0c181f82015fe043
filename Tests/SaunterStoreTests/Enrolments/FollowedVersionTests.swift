import SaunterCore
import Testing

@testable import SaunterStore

@Suite struct FollowedVersionTests {
    @Test(arguments: [
        (-1, ["1", "2", "3"]), (0, ["1", "2", "3"]), (5, ["1", "2", "3"]), (10, ["2", "1", "3"]),
        (30, ["3", "2", "1"]),
    ])
    func `the version followed at the moment is first, then earlier ones, then later ones`(
        hours: Int, expected: [String]
    ) {
        let versions = [(0, "1"), (10, "2"), (20, "3")].map {
            FollowedVersion(version: $0.1, from: Instant.start.plus(hours: $0.0))
        }

        #expect(versions.nearest(to: Instant.start.plus(hours: hours)).map(\.version) == expected)
    }
}
