import SaunterCore

/// What a route takes as its body: one JSON value or a form, checked against its schema before the handler runs; or a file.
package struct BodyRule: Sendable {
    /// Bytes that most bodies stay below: 256 KiB.
    package static let usualLimit = 256 * 1024
    /// Bytes of a walk with its series: 16 MiB.
    package static let walkLimit = 16 * 1024 * 1024

    /// In which form a body is sent.
    package enum Media: Sendable, Equatable {
        case json
        /// Names and values as browsers and older clients send them. The names are the members of a JSON object, the values strings. A `token`
        /// among them stands for the `Authorization` header and is kept from the handler.
        case form
        /// A file of one of these media types, which the handler reads from `rawBody`.
        case file([String])

        /// The media types that announce it.
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

        /// For sentences.
        var noun: String {
            switch self {
            case .json: "A JSON body"
            case .form: "A form"
            case .file: "A file"
            }
        }
    }

    package let media: Media
    package let schema: Schema
    /// Most bytes, before and after decompression.
    package let limit: Int
    /// An example that fits the schema; the reference page's curl line sends it.
    package let example: JSON?
    /// False where a request without any body is taken, too; the handler then sees null.
    package let isRequired: Bool
    /// A list in the body whose items are answered one by one: what may not be stored in one of them is told to the handler in `itemFaults`
    /// instead of refusing all.
    package let itemList: String?
    /// What does not fit the schema is told to the handler in `formFaults`, which has more to say of the body than the schema, and refuses it.
    package let leavesFaults: Bool
    /// The same may come as JSON values, one a line, which the handler takes from `lines` while they arrive.
    package var lines: LineBounds?

    /// A JSON body.
    package static func json(
        _ schema: Schema, limit: Int = usualLimit, example: JSON? = nil, isRequired: Bool = true,
        itemList: String? = nil, leavesFaults: Bool = false, lines: LineBounds? = nil
    ) -> BodyRule {
        BodyRule(
            media: .json, schema: schema, limit: limit, example: example, isRequired: isRequired,
            itemList: itemList, leavesFaults: leavesFaults, lines: lines)
    }

    /// A form; the schema is that of an object of strings.
    package static func form(_ schema: Schema, limit: Int = usualLimit, example: JSON) -> BodyRule {
        BodyRule(
            media: .form, schema: schema, limit: limit, example: example, isRequired: true, itemList: nil,
            leavesFaults: false)
    }

    /// A file as its body, of one of these media types.
    package static func file(_ mediaTypes: [String], limit: Int) -> BodyRule {
        BodyRule(
            media: .file(mediaTypes), schema: .any, limit: limit, example: nil, isRequired: true,
            itemList: nil,
            leavesFaults: false)
    }

    /// The faults of the reader by item; throws those that stand outside of any, and all of them where there may be more than were named.
    func byItem(_ refused: [Fault]) throws(JSONFault) -> [Int: [Fault]] {
        guard !refused.isEmpty else { return [:] }
        var items: [Int: [Fault]] = [:]
        for fault in refused {
            let parts = fault.pointer.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
                .dropFirst()
            guard refused.count < JSONReader.mostFaults, let itemList, parts.first ?? "" == itemList,
                let item = parts.dropFirst().first.flatMap({
                    Int($0.prefix { $0 != "/" })
                })
            else { throw .refused(Faults(refused)) }
            items[item, default: []].append(fault)
        }
        return items
    }
}
