/// What the participant did during a recording. The raw values are the values of `sport` in a walk.
package enum Sport: String, Sendable, Hashable, CaseIterable {
    case walking, hiking, running, wheelchair, cycling, swimming, skiing, rowing, skating, other

    /// Whether the recording can be a walk: on foot, or in a wheelchair.
    package var isWalk: Bool {
        switch self {
        case .walking, .hiking, .running, .wheelchair: true
        case .cycling, .swimming, .skiing, .rowing, .skating, .other: false
        }
    }

    /// Parts of the names that devices give to sports, in lower case. The first part that a name contains decides.
    private static let nameParts: [(String, Sport)] = [
        ("wheelchair", .wheelchair), ("walk", .walking), ("hik", .hiking), ("motor", .other),
        ("driv", .other),
        ("horse", .other), ("surf", .other), ("sail", .other), ("bik", .cycling), ("cycl", .cycling),
        ("swim", .swimming), ("ski", .skiing), ("snowboard", .skiing), ("skat", .skating), ("row", .rowing),
        ("run", .running), ("jog", .running), ("ride", .cycling),
    ]

    /// The sport with a name that a device wrote, such as `Biking` or `trail_running`. Nil if the name contains no
    /// known word, such as `Other`, which watches also write for walks.
    package init?(deviceName: String) {
        let name = deviceName.lowercased()
        guard let sport = Self.nameParts.first(where: { name.contains($0.0) })?.1 else { return nil }
        self = sport
    }
}
