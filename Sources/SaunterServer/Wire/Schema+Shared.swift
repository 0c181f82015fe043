import SaunterCore

extension Schema {
    /// RFC 3339 in UTC.
    static let instant = Schema.string(format: .dateTime)
    static let id = Schema.string(format: .uuid)
    static let zone = Schema.string(format: .zone)
    /// A local time, `hh:mm`.
    static let clock = Schema.string(format: .time)

    /// A list that carries more than its items.
    static func page(of element: Schema, _ more: [Schema.Member]) -> Schema {
        .object(
            [
                .required("items", .array(of: element)),
                .required(
                    "next", .nullable(.string()), "What `cursor` takes for the next page; null on the last."),
            ] + more)
    }
}

extension PathParameter {
    static let study = PathParameter.code("study", "The code of a study.", example: "mindful-walking")
    static let enrolment = PathParameter.uuid("id", "The caller's enrolment.")
}

extension JSON {
    static func instant(_ value: Instant) -> JSON { .string(value.description) }
    static func instant(_ value: Instant?) -> JSON { value.map { .string($0.description) } ?? .null }
    static func id<Tag>(_ value: ID<Tag>?) -> JSON { value.map { .string($0.description) } ?? .null }
    static func strings(_ values: [String]) -> JSON { .array(values.map(JSON.string)) }
}
