/// Consecutive time windows of equal length in a participation. A dataset summarises the scores of a scale in each
/// window.
package struct WindowRule: Sendable, Hashable {
    /// A `DefinitionName`, unique in its scale.
    package var id: String
    /// The length of one window in study days. The first window begins on day 0. Nil: one window over the complete
    /// participation.
    package var days: Int?
    /// The number of known scores that a summary needs; 1 or more.
    package var minimum: Int

    /// - Parameters: see the properties.
    package init(id: String, days: Int? = nil, minimum: Int = 1) {
        self.id = id
        self.days = days
        self.minimum = minimum
    }
}
