import SaunterCore

/// The value sets that a questionnaire contains, and those of its Bundle.
struct FHIRValueSets {
    /// A resource of the file, with its JSON Pointer.
    typealias Resource = (location: String, resource: JSON)

    private let contained: [Resource]
    private let otherResources: [Resource]
    /// The complete code systems of the file.
    private let systems: [JSON]
    /// URL of a system as a value set names it -> code -> display text. They are read when they are first needed.
    private var displays: [String: [String: JSON]] = [:]
    /// Reference -> options. Many items can use the same value set.
    private var read: [String: [JSONObject]] = [:]

    /// - Parameters:
    ///   - location: the JSON Pointer of the questionnaire in the file.
    ///   - otherResources: the other resources of the Bundle.
    init(_ resource: JSON, at location: String, otherResources: [Resource]) {
        let own = (resource["contained"]?.array ?? []).enumerated()
            .map { (location: "\(location)/contained/\($0.offset)", resource: $0.element) }
        contained = own.filter { $0.resource["resourceType"] == "ValueSet" }
        self.otherResources = otherResources.filter { $0.resource["resourceType"] == "ValueSet" }
        systems = (own + otherResources).map(\.resource).filter { system in
            system["resourceType"] == "CodeSystem" && (system["content"].map { $0 == "complete" } ?? true)
        }
    }

    /// The codes of a value set as options, in order. They are empty if the set is not in the file, or if neither the
    /// set nor a code system in the file lists its codes.
    /// - Parameter reference: `#id`, or the URL of the set, optionally followed by `|version`.
    /// - Returns: the options, and remarks about the parts of the set that could not be read. Only the first call with
    ///   a reference returns its remarks.
    mutating func options(_ reference: String) -> (options: [JSONObject], remarks: [Remark]) {
        if let known = read[reference] { return (known, []) }
        let found = readOptions(reference)
        read[reference] = found.options
        return found
    }

    /// The number of codes in value sets and code systems.
    static func codeCount(_ resources: [JSON]) -> Int {
        resources.reduce(0) { count, resource in
            let includes = (resource["compose"]?["include"]?.array ?? []).map {
                $0["concept"]?.array?.count ?? 0
            }
            return count + includes.reduce(0, +)
                + flattened(resource["expansion"]?["contains"]?.array ?? [], "contains").count
                + flattened(resource["concept"]?.array ?? [], "concept").count
        }
    }

    private mutating func readOptions(_ reference: String) -> (options: [JSONObject], remarks: [Remark]) {
        let found =
            contained.first { _, set in
                set["id"]?.string.map { "#" + $0 == reference || $0 == reference } == true
                    || Self.matches(set, reference)
            }
            ?? otherResources.first { _, set in
                // STU3 refers to a resource of the Bundle by its id.
                Self.matches(set, reference)
                    || set["id"]?.string.map { "ValueSet/\($0)" == reference } == true
            }
        guard let (location, set) = found else { return ([], []) }
        let expanded = Self.flattened(set["expansion"]?["contains"]?.array ?? [], "contains")
        // An abstract code groups other codes and cannot be chosen.
        var options: [JSONObject] = []
        for concept in expanded where concept["abstract"] != true {
            if let option = option(concept, system: concept["system"]) { options.append(option) }
        }
        var remarks: [Remark] = []
        // An expansion does not contain excluded codes.
        guard options.isEmpty else {
            if let total = set["expansion"]?["total"]?.int, total > expanded.count {
                remarks.append(
                    Remark(
                        location: "\(location)/expansion",
                        detail: "only the listed codes are offered: the file does not list all \(total)"))
            }
            return (options, remarks)
        }
        let compose = "\(location)/compose"
        for (index, include) in (set["compose"]?["include"]?.array ?? []).enumerated() {
            let complete = allCodes(include)
            for concept in complete ?? include["concept"]?.array ?? [] {
                if let option = option(concept, system: include["system"]) { options.append(option) }
            }
            if complete == nil, !Self.isList(include) {
                remarks.append(
                    Remark(
                        location: "\(compose)/include/\(index)",
                        detail: "only the codes that are listed one by one are offered"))
            }
        }
        for (index, exclude) in (set["compose"]?["exclude"]?.array ?? []).enumerated() {
            guard Self.isList(exclude) else {
                remarks.append(
                    Remark(
                        location: "\(compose)/exclude/\(index)",
                        detail: "these codes are not excluded, because they are not listed one by one"))
                continue
            }
            let codes = Set((exclude["concept"]?.array ?? []).compactMap { $0["code"]?.string })
            options.removeAll { option in
                let coding = option["valueCoding"]
                return coding?["system"] == exclude["system"]
                    && coding?["code"]?.string.map { codes.contains($0) } == true
            }
        }
        // If no option is left, the item gets a remark instead.
        return (options, options.isEmpty ? [] : remarks)
    }

    /// Whether a resource has this URL and, if both contain a version, the same version.
    private static func matches(_ resource: JSON, _ reference: String) -> Bool {
        let parts = reference.split(separator: "|", maxSplits: 1).map(String.init)
        guard let url = resource["url"]?.string, url == parts.first else { return false }
        guard parts.count == 2, let version = resource["version"]?.string else { return true }
        return version == parts[1]
    }

    /// The codes of a list and of its nested lists, each before its children.
    private static func flattened(_ list: [JSON], _ member: String) -> [JSON] {
        list.flatMap { [$0] + flattened($0[member]?.array ?? [], member) }
    }

    /// All codes of a code system of the file, if the value set includes the complete system.
    private func allCodes(_ include: JSON) -> [JSON]? {
        guard include["concept"] == nil, include["filter"] == nil, include["valueSet"] == nil,
            let url = include["system"]?.string,
            let system = systems.first(where: { Self.matches($0, url) })
        else { return nil }
        return Self.flattened(system["concept"]?.array ?? [], "concept")
    }

    /// The display text of a code in a code system of the file.
    private mutating func display(of code: JSON, in system: JSON?) -> JSON? {
        guard let url = system?.string, let code = code.string else { return nil }
        if let known = displays[url] { return known[code] }
        let found = systems.first { Self.matches($0, url) }
        var texts: [String: JSON] = [:]
        var codes: Set<String> = []
        for concept in Self.flattened(found?["concept"]?.array ?? [], "concept") {
            // If a code occurs twice, the first one counts.
            guard let code = concept["code"]?.string, codes.insert(code).inserted else { continue }
            texts[code] = concept["display"]
        }
        displays[url] = texts
        return texts[code]
    }

    /// Whether the codes are listed one by one, without filters or other sets.
    private static func isList(_ codes: JSON) -> Bool {
        codes["concept"]?.array?.isEmpty == false && codes["filter"]?.array?.isEmpty != false
            && codes["valueSet"]?.array?.isEmpty != false
    }

    private mutating func option(_ concept: JSON, system: JSON?) -> JSONObject? {
        guard let code = concept["code"], code.string != nil else { return nil }
        var coding = JSONObject()
        coding["system"] = system
        coding["code"] = code
        coding["display"] = concept["display"] ?? display(of: code, in: system)
        coding["extension"] = concept["extension"]
        coding["designation"] = concept["designation"]
        return ["valueCoding": .object(coding)]
    }
}
