/// The arms of all published versions of a study, and whether its team is blinded.
package struct StudyArms: Sendable, Hashable {
    /// The version that was live when the arms were read.
    package let liveVersion: String
    /// The codes, without duplicates.
    package let codes: [String]
    /// Whether some version is blinded. A later version cannot end the blinding: that is an act of a coordinator.
    package let isBlinded: Bool
    /// Whether some version has walks.
    package let hasWalks: Bool

    /// - Parameter versions: all published versions.
    package init(_ versions: [Study], live: String) {
        liveVersion = live
        codes = Set(versions.flatMap { $0.arms.map(\.code) }).sorted()
        isBlinded = versions.contains { $0.allocation.isBlinded }
        hasWalks = versions.contains { $0.walking != nil }
    }
}
