/// A row of spans of a person's participation, over each of which the scores of a scale are told in a few numbers.
package struct WindowRule: Sendable, Hashable {
    /// A name as scales have them, unique in its scale.
    package var id: String
    /// Study days of one span, the first beginning at day 0; nil for one span of the whole participation.
    package var days: Int?
    /// How many scores must be known for numbers to be told; 1 at the least.
    package var minimum: Int

    package init(id: String, days: Int? = nil, minimum: Int = 1) {
        self.id = id
        self.days = days
        self.minimum = minimum
    }
}
