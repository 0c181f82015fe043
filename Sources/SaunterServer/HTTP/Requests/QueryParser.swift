import SaunterCore

/// Reads a query with the parameters that a route declares.
enum QueryParser {
    private static let maximumParameters = 64

    /// The values by name, each in the type of its schema.
    /// - Throws: `request-invalid` with all faults. Each pointer contains the name of a parameter.
    static func values(_ query: Substring?, _ parameters: [QueryParameter]) throws(Problem) -> [String: JSON]
    {
        var values: [String: JSON] = [:]
        var faults: [Fault] = []
        let pairs = (query ?? "").split(separator: "&")
        guard pairs.count <= maximumParameters else {
            throw Problem(.requestInvalid, "The query has more than \(maximumParameters) parameters.")
        }
        for pair in pairs {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(halves[0], plusIsBlank: true),
                let text = PercentEncoding.decode(halves.count == 2 ? halves[1] : "", plusIsBlank: true),
                !name.utf8.contains(0), !text.utf8.contains(0)
            else {
                throw Problem(.requestInvalid, "The query is not percent-encoded UTF-8, or contains U+0000.")
            }
            let pointer = "/" + Fault.escape(name)
            if let parameter = parameters.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
                if values[name] != nil, !parameter.repeats {
                    faults.append(
                        Fault(
                            pointer: pointer, code: "given_twice",
                            detail: "The parameter occurs more than once."))
                }
                let value = parameter.schema.value(ofQueryText: text)
                faults += parameter.schema.faults(in: value, at: pointer)
                values[name] = parameter.repeats ? .array((values[name]?.array ?? []) + [value]) : value
            } else {
                faults.append(
                    Fault(pointer: pointer, code: "unknown_parameter", detail: unknown(name, parameters)))
            }
        }
        guard faults.isEmpty else {
            throw Problem(.requestInvalid, Faults(Array(faults.prefix(Schema.maximumFaults))))
        }
        return values
    }

    private static func unknown(_ name: String, _ parameters: [QueryParameter]) -> String {
        let hint = closestName(to: name, among: parameters.map(\.name)).map { " Did you mean \($0)?" } ?? ""
        return "This route has no such parameter.\(hint)"
    }
}
