import SaunterCore
import SaunterServer

/// The values of the form that requests a dataset. They can also be in the address of the page, so that nothing is lost
/// if the server asks for the password first.
struct ExportForm: Equatable {
    /// The names of the query parameters.
    static let names = ["profile", "from", "to", "questionnaires", "arms", "formats"]
    private static let lists = ["questionnaires", "arms", "formats"]

    /// Text that the visitor typed or chose, by name: profile and dates.
    private var texts: [String: String] = [:]
    /// Chosen codes by name, sorted.
    private var chosen: [String: [String]] = [:]

    /// The values in the address of the page.
    init(addressOf request: PageRequest) {
        self.init { request.call.query($0) }
    }

    /// The values of a form that was sent. Each box has a field `<name>.<code>`.
    init(sentBy request: PageRequest) {
        self.init(fields: request.call.body.object ?? [:])
    }

    /// - Parameter query: the value of a query parameter.
    init(query: (String) -> String?) {
        for name in Self.names {
            guard let value = query(name), !value.isEmpty else { continue }
            if Self.lists.contains(name) {
                chosen[name] = value.split(separator: ",").map(String.init).sorted()
            } else {
                texts[name] = value
            }
        }
    }

    /// - Parameter fields: the fields of a form.
    init(fields: JSONObject) {
        for field in fields {
            guard let value = field.value.string, !value.isEmpty else { continue }
            if Self.names.contains(field.name), !Self.lists.contains(field.name) {
                texts[field.name] = value
            } else if let dot = field.name.firstIndex(of: "."),
                Self.lists.contains(String(field.name[..<dot]))
            {
                let list = String(field.name[..<dot])
                chosen[list, default: []].append(String(field.name[field.name.index(after: dot)...]))
                chosen[list]?.sort()
            }
        }
    }

    /// Whether nothing was chosen.
    var isEmpty: Bool { texts.isEmpty && chosen.isEmpty }
    /// Whether the dataset is only a part of the study.
    var isPart: Bool { Set(texts.keys).union(chosen.keys).contains { $0 != "profile" && $0 != "formats" } }

    /// A text; empty if there is none.
    subscript(name: String) -> String { texts[name] ?? "" }

    /// Whether a code of a list is chosen.
    func has(_ code: String, in list: String) -> Bool { chosen[list]?.contains(code) ?? false }

    /// The body of the request. What is not chosen is absent, so that the API names it if it is needed.
    var body: JSON {
        var body = JSONObject()
        for name in Self.names {
            if let text = texts[name] { body[name] = .string(text) }
            if let codes = chosen[name] { body[name] = .array(codes.map(JSON.string)) }
        }
        return .object(body)
    }

    /// The address of the page with these values in the form.
    func address(_ path: String) -> String {
        let pairs = Self.names.compactMap { name in
            (texts[name] ?? chosen[name]?.joined(separator: ",")).map { "\(name)=\(PageAddress.encode($0))" }
        }
        return pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))"
    }
}
