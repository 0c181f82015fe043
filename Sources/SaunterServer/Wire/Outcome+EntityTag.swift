extension Outcome {
    /// The header of a reply that has an entity tag. A read that names it is also answered with 304, and the
    /// published contract says so.
    static let entityTag = (
        name: "ETag",
        description: "Names this state. If-None-Match with it is answered with 304 for as long as it lasts."
    )
}
