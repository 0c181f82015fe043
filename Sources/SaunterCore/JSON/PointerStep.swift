/// One step of the path to a JSON value: a member of an object, or an element of an array.
enum PointerStep {
    case member(String)
    case index(Int)
}

extension [PointerStep] {
    /// The JSON Pointer (RFC 6901) of the path.
    var pointer: String {
        map { step in
            switch step {
            case .member(let name): "/" + Fault.escape(name)
            case .index(let index): "/\(index)"
            }
        }.joined()
    }
}
