import SaunterCore

/// The value sets that a questionnaire contains, and those that are in a Bundle with it.
struct FHIRValueSets {
    /// A resource of the file, with its pointer.
    typealias Resource = (place: String, resource: JSON)

    private let contained: [Resource]
    private let beside: [Resource]
    /// The code systems beside them that are there whole.
    private let systems: [JSON]

    /// - Parameters:
    ///   - place: pointer of the questionnaire in the file.
    ///   - beside: what else is in its Bundle.
    init(_ resource: JSON, at place: String, beside: [Resource]) {
        let own = (resource["contained"]?.array ?? []).enumerated()
            .map { (place: "\(place)/contained/\($0.offset)", resource: $0.element) }
        contained = own.filter { $0.resource["resourceType"] == "ValueSet" }
        self.beside = beside.filter { $0.resource["resourceType"] == "ValueSet" }
        systems = (own + beside).map(\.resource).filter { system in
            system["resourceType"] == "CodeSystem" && (system["content"].map { $0 == "complete" } ?? true)
        }
    }

    /// The codes of a set as options, in order; empty where the set is not in the file, or not written out.
    /// - Parameter reference: `#id`, or the set's address, with a version behind a bar or without.
    /// - Returns: the options, and what of the set could not be read, with its pointer in the file.
    func options(_ reference: String) -> (options: [JSONObject], unread: [Remark]) {
        let found =
            contained.first { _, set in
                set["id"]?.string.map { "#" + $0 == reference || $0 == reference } == true
                    || Self.has(set, the: reference)
            } ?? beside.first { _, set in Self.has(set, the: reference) }
        guard let (place, set) = found else { return ([], []) }
        let expanded = Self.flat(set["expansion"]?["contains"]?.array ?? [], "contains")
        // A heading over codes is none that can be chosen.
        var options = expanded.filter { $0["abstract"] != true }.compactMap {
            Self.option($0, system: $0["system"])
        }
        var unread: [Remark] = []
        // What is expanded leaves out already what is excluded.
        guard options.isEmpty else {
            if let total = set["expansion"]?["total"]?.int, total > expanded.count {
                unread.append(
                    Remark(
                        place: "\(place)/expansion",
                        detail: "of \(total) codes only those are asked that stand here"))
            }
            return (options, unread)
        }
        let compose = "\(place)/compose"
        for (index, include) in (set["compose"]?["include"]?.array ?? []).enumerated() {
            let whole = self.whole(include)
            options += (whole ?? include["concept"]?.array ?? []).compactMap {
                Self.option($0, system: include["system"])
            }
            if whole == nil, !Self.isPlain(include) {
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

    /// Whether a resource has an address and, where both say one, its version.
    private static func has(_ resource: JSON, the reference: String) -> Bool {
        let parts = reference.split(separator: "|", maxSplits: 1).map(String.init)
        guard let url = resource["url"]?.string, url == parts.first else { return false }
        guard parts.count == 2, let version = resource["version"]?.string else { return true }
        return version == parts[1]
    }

    /// The codes of a list and of those within its elements, each before what stands in it.
    private static func flat(_ list: [JSON], _ member: String) -> [JSON] {
        list.flatMap { [$0] + flat($0[member]?.array ?? [], member) }
    }

    /// All codes of a system that is in the file, where the whole of it is meant.
    private func whole(_ include: JSON) -> [JSON]? {
        guard include["concept"] == nil, include["filter"] == nil, include["valueSet"] == nil,
            let address = include["system"]?.string,
            let system = systems.first(where: { Self.has($0, the: address) })
        else { return nil }
        return Self.flat(system["concept"]?.array ?? [], "concept")
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
        coding["designation"] = concept["designation"]
        return ["valueCoding": .object(coding)]
    }
}
