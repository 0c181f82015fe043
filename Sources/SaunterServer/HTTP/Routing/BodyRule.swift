import SaunterCore

/// The body that a route accepts: a JSON value or a form, which the gateway checks against a schema before the handler
/// runs, or a file.
package struct BodyRule: Sendable {
    /// The limit of most bodies: 256 KiB.
    package static let defaultLimit = 256 * 1024
    /// The limit of a walk with its series: 16 MiB.
    package static let walkLimit = 16 * 1024 * 1024

    /// Only two bodies above this size are received at once: 16 MiB.
    static let largeBytes = 16 * 1024 * 1024
    static let maximumLargeBodies = 2

    /// The encoding of a body.
    package enum Media: Sendable, Equatable {
        case json
        /// Names and values as browsers and older clients send them. The handler gets a JSON object of strings. A field
        /// `token` replaces the `Authorization` header; the handler does not get it.
        case form
        /// A file of one of these media types. The handler gets its bytes as `rawBody`.
        case file([String])

        /// The accepted values of `Content-Type`.
        var types: [String] {
            switch self {
            case .json: ["application/json"]
            case .form: ["application/x-www-form-urlencoded"]
            case .file(let types): types
            }
        }

        var isFile: Bool {
            if case .file = self { true } else { false }
        }

        /// For error messages.
        var noun: String {
            switch self {
            case .json: "a JSON value"
            case .form: "a form"
            case .file: "a file"
            }
        }
    }

    /// The kind of the body and its media types.
    package let media: Media
    /// The schema of the body, or of its fields if it is a form.
    package let schema: Schema
    /// The maximum number of bytes, before and after decompression.
    package let limit: Int
    /// An example that matches the schema. The curl example on the reference page sends it.
    package let example: JSON?
    /// Whether the request needs a body. If an optional body is absent, the handler gets null, or an empty object for a
    /// form.
    package let isRequired: Bool
    /// The name of a list in the body whose items get separate results. If a value in an item of this list cannot be
    /// stored, the handler gets the fault in `itemFaults`. For such a value elsewhere, or if this is nil, the gateway
    /// rejects the complete body.
    package let itemList: String?
    /// Whether the handler rejects a body that does not match the schema. It gets the faults in `schemaFaults` and adds
    /// its own. Otherwise the gateway rejects the body.
    package let handlerReportsFaults: Bool
    /// Limits if the route also accepts a body of JSON lines. The handler then gets it as `lines`, while it arrives.
    package var lines: NDJSONLimits?

    /// A JSON body.
    package static func json(
        _ schema: Schema, limit: Int = defaultLimit, example: JSON? = nil, isRequired: Bool = true,
        itemList: String? = nil, handlerReportsFaults: Bool = false, lines: NDJSONLimits? = nil
    ) -> BodyRule {
        BodyRule(
            media: .json, schema: schema, limit: limit, example: example, isRequired: isRequired,
            itemList: itemList, handlerReportsFaults: handlerReportsFaults, lines: lines)
    }

    /// A form. The schema describes an object of strings.
    package static func form(
        _ schema: Schema, limit: Int = defaultLimit, example: JSON, isRequired: Bool = true
    ) -> BodyRule {
        BodyRule(
            media: .form, schema: schema, limit: limit, example: example, isRequired: isRequired,
            itemList: nil,
            handlerReportsFaults: false)
    }

    /// A file of one of these media types.
    package static func file(_ mediaTypes: [String], limit: Int) -> BodyRule {
        BodyRule(
            media: .file(mediaTypes), schema: .any, limit: limit, example: nil, isRequired: true,
            itemList: nil,
            handlerReportsFaults: false)
    }

    /// Whether a body can be above `largeBytes`.
    /// - Parameter length: its `Content-Length`; nil if it is not known.
    func mayBeLarge(_ length: Int?) -> Bool {
        limit > Self.largeBytes && length ?? limit > Self.largeBytes
    }

    /// Groups the faults of the JSON reader by the index of the item in `itemList`.
    /// - Throws: all faults if one of them is outside of the items, or if the reader may have found more faults than it
    ///   reports.
    func faultsByItem(_ faults: [Fault]) throws(JSONFault) -> [Int: [Fault]] {
        guard !faults.isEmpty else { return [:] }
        var items: [Int: [Fault]] = [:]
        for fault in faults {
            let parts = fault.pointer.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
                .dropFirst()
            guard faults.count < JSONReader.maximumFaults, let itemList, parts.first ?? "" == itemList,
                let item = parts.dropFirst().first.flatMap({
                    Int($0.prefix { $0 != "/" })
                })
            else { throw .rejected(Faults(faults)) }
            items[item, default: []].append(fault)
        }
        return items
    }
}
