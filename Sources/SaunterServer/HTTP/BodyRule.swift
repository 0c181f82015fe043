import SaunterCore

/// What a route takes as its body: one JSON value, checked against its schema before the handler runs.
package struct BodyRule: Sendable {
    /// Bytes that most bodies stay below: 256 KiB.
    package static let usualLimit = 256 * 1024
    /// Bytes of a walk with its series: 16 MiB.
    package static let walkLimit = 16 * 1024 * 1024

    package let schema: Schema
    /// Most bytes, before and after decompression.
    package let limit: Int
    /// An example that fits the schema; the reference page's curl line sends it.
    package let example: JSON?
    /// False where a request without any body is taken, too; the handler then sees null.
    package let isRequired: Bool

    /// A JSON body.
    package static func json(
        _ schema: Schema, limit: Int = usualLimit, example: JSON? = nil, isRequired: Bool = true
    ) -> BodyRule {
        BodyRule(schema: schema, limit: limit, example: example, isRequired: isRequired)
    }
}
