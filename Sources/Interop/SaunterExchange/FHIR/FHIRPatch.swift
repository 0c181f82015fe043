import SaunterCore

/// Computes and applies the difference between the resource that Saunter would write and the source, as a JSON value.
/// It is a merge patch (RFC 7396) with three additions, because a merge patch can only replace lists:
/// 1. Extensions are patched by their URL.
/// 2. Options are patched by their value.
/// 3. The elements of other lists are patched by their index, if both lists have the same length.
enum FHIRPatch {
    private static let orderKey = "order"

    /// The patch; nil if both values are equal.
    /// - Parameter optionKeys: the values of the options, which are their keys in the patch.
    static func make(
        from made: JSON, to wanted: JSON, named name: String = "", optionKeys: [String] = []
    ) -> JSON? {
        if equal(made, wanted) { return nil }
        switch (made, wanted) {
        case (.object(let made), .object(let wanted)):
            var patch = JSONObject()
            for member in wanted {
                guard let old = made[member.name] else {
                    patch[member.name] = member.value
                    continue
                }
                patch[member.name] = make(
                    from: old, to: member.value, named: member.name, optionKeys: optionKeys)
            }
            for member in made where wanted[member.name] == nil { patch[member.name] = .null }
            return .object(patch)
        case (.array(let made), .array(let wanted)):
            if name == "extension" || name == "modifierExtension" {
                return extensions(from: made, to: wanted)
            }
            guard made.count == wanted.count else { return .array(wanted) }
            let isOptions = name == "answerOption" && optionKeys.count == made.count
            var patch = JSONObject()
            for (index, pair) in zip(made, wanted).enumerated() {
                let key = isOptions ? optionKeys[index] : String(index)
                patch[key] = make(from: pair.0, to: pair.1)
            }
            return .object(patch)
        default: return wanted
        }
    }

    private static func extensions(from made: [JSON], to wanted: [JSON]) -> JSON {
        func urls(_ list: [JSON]) -> [String] {
            list.reduce(into: []) { urls, element in
                let url = element["url"]?.string ?? ""
                if !urls.contains(url) { urls.append(url) }
            }
        }
        var patch = JSONObject()
        for url in urls(made + wanted) {
            let (old, new) = (
                made.filter { $0["url"]?.string == url }, wanted.filter { $0["url"]?.string == url }
            )
            if !equal(.array(old), .array(new)) { patch[url] = new.isEmpty ? .null : .array(new) }
        }
        let order = urls(wanted)
        if urls(apply(extensions: patch, to: made)) != order {
            patch[orderKey] = .array(order.map(JSON.string))
        }
        return equal(.array(apply(extensions: patch, to: made)), .array(wanted))
            ? .object(patch) : .array(wanted)
    }

    private static func apply(extensions patch: JSONObject, to made: [JSON]) -> [JSON] {
        var result = made.filter { patch[$0["url"]?.string ?? ""] == nil }
        for member in patch where member.name != orderKey { result += member.value.array ?? [] }
        guard let order = patch[orderKey]?.array?.compactMap(\.string) else { return result }
        let ranks = Dictionary(zip(order, order.indices), uniquingKeysWith: { first, _ in first })
        func rank(_ element: JSON) -> Int { ranks[element["url"]?.string ?? ""] ?? order.count }
        return result.enumerated().sorted {
            (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
        }.map(\.element)
    }

    /// Applies a patch. Parts of a patch that do not match the resource are ignored.
    static func apply(
        _ patch: JSON?, to made: JSON, named name: String = "", optionKeys: [String] = []
    ) -> JSON {
        guard let patch else { return made }
        guard case .object(let changes) = patch else { return patch }
        switch made {
        case .object(var object):
            for change in changes {
                if change.value.isNull {
                    object[change.name] = nil
                } else if let old = object[change.name] {
                    object[change.name] = apply(
                        change.value, to: old, named: change.name, optionKeys: optionKeys)
                } else if !isForList(change) {
                    object[change.name] = change.value
                }
            }
            return .object(object)
        case .array(let elements):
            if name == "extension" || name == "modifierExtension" {
                return .array(apply(extensions: changes, to: elements))
            }
            let isOptions = name == "answerOption" && optionKeys.count == elements.count
            return .array(
                elements.enumerated().map { index, element in
                    apply(changes[isOptions ? optionKeys[index] : String(index)], to: element)
                })
        default: return patch
        }
    }

    /// Whether a change applies to the elements of a list that does not exist any more.
    private static func isForList(_ change: JSONObject.Member) -> Bool {
        let lists: Set = ["extension", "modifierExtension", "answerOption", "enableWhen", "initial"]
        return lists.contains(change.name) && change.value.object != nil
    }

    /// The JSON Pointer of the first difference; nil if the values are equal.
    static func difference(_ one: JSON, _ other: JSON) -> String? {
        if equal(one, other) { return nil }
        switch (one, other) {
        case (.object(let one), .object(let other)):
            for name in other.names + one.names {
                let step = "/\(Fault.escape(name))"
                guard let old = one[name], let new = other[name] else { return step }
                if let rest = difference(old, new) { return step + rest }
            }
            return ""
        case (.array(let one), .array(let other)) where one.count == other.count:
            for (index, pair) in zip(one, other).enumerated() {
                if let rest = difference(pair.0, pair.1) { return "/\(index)\(rest)" }
            }
            return ""
        default: return ""
        }
    }

    /// Whether both are the same JSON value. The order of members does not matter, and numbers are compared by value.
    static func equal(_ one: JSON, _ other: JSON) -> Bool {
        one == other || one.canonicalBytes == other.canonicalBytes
    }
}
