import SaunterCore

/// The value sets that a questionnaire contains.
struct FHIRValueSets {
    /// With their places among all that it contains.
    private let contained: [(place: Int, set: JSON)]

    init(_ resource: JSON) {
        contained = (resource["contained"]?.array ?? []).enumerated()
            .filter { $0.element["resourceType"] == "ValueSet" }
            .map { (place: $0.offset, set: $0.element) }
    }

    /// The codes of a set as options, in order; empty where the set is not in the file, or not written out.
    /// - Parameter reference: `#id`, or the set's address.
    /// - Returns: the options, and what of the set could not be read, with its pointer in the resource.
    func options(_ reference: String) -> (options: [JSONObject], unread: [Remark]) {
        let found = contained.first { _, set in
            set["id"]?.string.map { "#" + $0 == reference || $0 == reference } == true
                || set["url"]?.string == reference
        }
        guard let (place, set) = found else { return ([], []) }
        var options = (set["expansion"]?["contains"]?.array ?? []).compactMap {
            Self.option($0, system: $0["system"])
        }
        // What is expanded leaves out already what is excluded.
        guard options.isEmpty else { return (options, []) }
        var unread: [Remark] = []
        let compose = "/contained/\(place)/compose"
        for (index, include) in (set["compose"]?["include"]?.array ?? []).enumerated() {
            options += (include["concept"]?.array ?? []).compactMap {
                Self.option($0, system: include["system"])
            }
            if !Self.isPlain(include) {
                unread.append(
                    Remark(
                        place: "\(compose)/include/\(index)",
                        detail: "of these codes only those are asked that stand here one by one"))
            }
        }
        for (index, exclude) in (set["compose"]?["exclude"]?.array ?? []).enumerated() {
            guard Self.isPlain(exclude) else {
                unread.append(
                    Remark(
                        place: "\(compose)/exclude/\(index)",
                        detail: "these codes are not left out: they do not stand here one by one"))
                continue
            }
            let codes = Set((exclude["concept"]?.array ?? []).compactMap { $0["code"]?.string })
            options.removeAll { option in
                let coding = option["valueCoding"]
                return coding?["system"] == exclude["system"]
                    && coding?["code"]?.string.map { codes.contains($0) } == true
            }
        }
        // Where nothing is left the set is not written out, which is told of the item.
        return (options, options.isEmpty ? [] : unread)
    }

    /// Whether codes are given as a list and nothing else.
    private static func isPlain(_ codes: JSON) -> Bool {
        codes["concept"]?.array?.isEmpty == false && codes["filter"]?.array?.isEmpty != false
            && codes["valueSet"]?.array?.isEmpty != false
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
