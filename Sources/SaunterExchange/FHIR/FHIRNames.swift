import SaunterCore
import SaunterPacks

/// What items and options are called in the FHIR questionnaire that they came from, and what is kept of it.
package struct FHIRNames: Sendable {
    /// The key of a pack under which it stands.
    static let key = "x-fhir"

    /// linkId here -> linkId there.
    var linkIds: [String: String] = [:]
    /// linkId -> value of an option as text -> its value there, such as `{"valueCoding": {"system": …, "code": …}}`.
    var codings: [String: [String: JSONObject]] = [:]
    /// linkId -> the question under which it stands there, by its linkId here.
    var under: [String: String] = [:]
    /// linkId -> patch of its item.
    var patches: [String: JSON] = [:]
    /// Patch of the questionnaire.
    var root: JSON?

    /// Of a questionnaire that is our own.
    package init() {}

    /// What an import kept in a pack.
    package init(_ kept: KeptMembers) {
        root = kept.root[Self.key]?["with"]
        for (linkId, members) in kept.items {
            guard let own = members[Self.key] else { continue }
            linkIds[linkId] = own["linkId"]?.string
            under[linkId] = own["under"]?.string
            patches[linkId] = own["with"]
            for member in own["codings"]?.object ?? JSONObject() {
                codings[linkId, default: [:]][member.name] = member.value.object
            }
        }
    }

    /// As it stands in a pack: of the whole, and of each item.
    var kept: (root: [String: JSON], items: [String: [String: JSON]]) {
        var items: [String: [String: JSON]] = [:]
        let names = Set(linkIds.keys).union(codings.keys).union(under.keys).union(patches.keys)
        for linkId in names {
            var own = JSONObject()
            if let there = linkIds[linkId], there != linkId { own["linkId"] = .string(there) }
            if let parent = under[linkId] { own["under"] = .string(parent) }
            if let options = codings[linkId], !options.isEmpty {
                own["codings"] = .object(
                    JSONObject(
                        options.sorted { $0.key < $1.key }.map {
                            .init(name: $0.key, value: .object($0.value))
                        }))
            }
            own["with"] = patches[linkId]
            if !own.isEmpty { items[linkId] = [Self.key: .object(own)] }
        }
        var whole: [String: JSON] = [:]
        if let root { whole[Self.key] = .object(["with": root]) }
        return (whole, items)
    }

    func linkId(_ name: String) -> String { linkIds[name] ?? name }
}
