import SaunterCore

/// The value sets that a questionnaire contains.
struct FHIRValueSets {
    private let contained: [JSON]

    init(_ resource: JSON) {
        contained = (resource["contained"]?.array ?? []).filter { $0["resourceType"] == "ValueSet" }
    }

    /// The codes of a set as options, in order; empty where the set is not in the file, or not written out.
    /// - Parameter reference: `#id`, or the set's address.
    func options(_ reference: String) -> [JSONObject] {
        let set = contained.first { set in
            set["id"]?.string.map { "#" + $0 == reference || $0 == reference } == true
                || set["url"]?.string == reference
        }
        guard let set else { return [] }
        var options = (set["expansion"]?["contains"]?.array ?? []).compactMap {
            Self.option($0, system: $0["system"])
        }
        if options.isEmpty {
            for include in set["compose"]?["include"]?.array ?? [] {
                options += (include["concept"]?.array ?? []).compactMap {
                    Self.option($0, system: include["system"])
                }
            }
        }
        return options
    }

    private static func option(_ concept: JSON, system: JSON?) -> JSONObject? {
        guard let code = concept["code"], code.string != nil else { return nil }
        var coding = JSONObject()
        coding["system"] = system
        coding["code"] = code
        coding["display"] = concept["display"]
        coding["extension"] = concept["extension"]
        return ["valueCoding": .object(coding)]
    }
}
