import SaunterCore
import SaunterPacks

/// How items and options map to the FHIR Questionnaire that they were imported from, and which parts of it are
/// preserved.
package struct FHIRSourceMapping: Sendable {
    /// The key of the preserved members in a pack.
    static let key = "x-fhir"

    /// linkId in Saunter -> linkId in the source.
    var linkIds: [String: String] = [:]
    /// linkId -> value of an option as text -> its value in the source, such as `{"valueCoding": {"system": …, "code":
    /// …}}`.
    var codings: [String: [String: JSONObject]] = [:]
    /// linkId -> linkId (in Saunter) of the question that contains the item in the source.
    var parentQuestions: [String: String] = [:]
    /// linkId -> patch of the item, see `FHIRPatch`.
    var patches: [String: JSON] = [:]
    /// The patch of the questionnaire without its items.
    var root: JSON?

    /// The empty mapping, for a questionnaire that was not imported.
    package init() {}

    /// The mapping that an import stored in a pack.
    package init(_ preserved: PreservedMembers) {
        root = preserved.root[Self.key]?["with"]
        for (linkId, members) in preserved.items {
            guard let own = members[Self.key] else { continue }
            linkIds[linkId] = own["linkId"]?.string
            parentQuestions[linkId] = own["under"]?.string
            patches[linkId] = own["with"]
            for member in own["codings"]?.object ?? JSONObject() {
                codings[linkId, default: [:]][member.name] = member.value.object
            }
        }
    }

    /// The mapping as members of a pack: of the questionnaire, and of each item.
    var preserved: (root: [String: JSON], items: [String: [String: JSON]]) {
        var items: [String: [String: JSON]] = [:]
        let names = Set(linkIds.keys).union(codings.keys).union(parentQuestions.keys).union(patches.keys)
        for linkId in names {
            var own = JSONObject()
            if let sourceLinkId = linkIds[linkId], sourceLinkId != linkId {
                own["linkId"] = .string(sourceLinkId)
            }
            if let parent = parentQuestions[linkId] { own["under"] = .string(parent) }
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

    /// The linkId in the source.
    package func linkId(_ name: String) -> String { linkIds[name] ?? name }

    /// The linkId (in Saunter) of the question that contains the item in the source; nil if it is at the top or in a
    /// group.
    package func parentQuestion(of linkId: String) -> String? { parentQuestions[linkId] }

    /// Whether the questionnaire was imported, according to the parts that a pack preserves.
    var isImported: Bool { root != nil || !patches.isEmpty }
}

/// The values of options in FHIR, in questionnaires as well as in answers.
extension FHIRSourceMapping {
    /// The code system of options that are numbers with labels. A number has no display text in FHIR, so these options
    /// are codings. The code is the number.
    static let numberSystem = "urn:saunter:option-number"

    /// The member `value[x]` of an option, without its display text.
    package func value(
        of option: OptionValue, _ linkId: String, in questionnaire: Questionnaire
    ) -> JSONObject.Member {
        if let original = codings[linkId]?[option.text]?.members.first { return original }
        switch option {
        case .code(let code): return .init(name: "valueCoding", value: ["code": .string(code)])
        case .integer(let number):
            guard writesCodings(of: linkId, in: questionnaire) else {
                return .init(name: "valueInteger", value: .int(number))
            }
            return .init(
                name: "valueCoding",
                value: ["system": .string(Self.numberSystem), "code": .string(String(number))])
        }
    }

    /// Whether options that are numbers are written as codings. If the questionnaire was imported: whether its
    /// source uses codings for this item. Otherwise: whether one of the options has a label.
    func writesCodings(of linkId: String, in questionnaire: Questionnaire) -> Bool {
        if let original = codings[linkId]?.values.first { return original["valueCoding"] != nil }
        return !isImported
            && questionnaire.text.values.contains { texts in
                texts.options[linkId]?.contains { $0.key != $0.value } == true
            }
    }
}
