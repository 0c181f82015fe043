/// Reads an XML file from its beginning to its end and keeps none of it: one element after the other, as its caller descends.
///
/// It is bounded in depth and in the length of a tag or text. A document type is passed over: no entity that it declares is
/// known, and nothing that it names is fetched. The file is UTF-8.
struct XMLReader {
    static let maximumDepth = 64
    /// Bytes of one tag, and of one text that is asked for.
    static let maximumLength = 1 << 20
    /// Elements below one that is read as a whole.
    static let maximumElements = 1000

    private let stream: ByteStream
    private var piece: [UInt8] = []
    private var at = 0
    private var line = 1
    /// The names of the elements that are open, as they are written.
    private var open: [ArraySlice<UInt8>] = []
    /// The last tag closed itself: its end is told next.
    private var endsNow = false
    private var hasRoot = false
    private var text: [UInt8] = []

    init(_ source: RecordingSource) throws(RecordingFault) {
        stream = try source.open()
        // Some exporters leave blanks before the declaration, which XML forbids, and some a byte order mark.
        for byte in [0xEF, 0xBB, 0xBF] as [UInt8] {
            if try peek() == byte { at += 1 }
        }
    }

    /// The file is not what it should be, at this line.
    func fault() -> RecordingFault {
        RecordingFault("line \(line): this is not a sound XML file")
    }

    /// The next element within the one that is open, or the root; nil at its end. Each must be consumed, by `child` until nil,
    /// `element`, `content` or `skip`, before the next is asked for.
    mutating func child() throws(RecordingFault) -> XMLTag? {
        while true {
            switch try token(keepsText: false) {
            case .start(let tag): return tag
            case .end, .finished: return nil
            }
        }
    }

    /// Passes over what is left of the element that is open.
    mutating func skip() throws(RecordingFault) {
        let depth = open.count
        while open.count >= depth {
            if case .finished = try token(keepsText: false) { throw fault() }
        }
    }

    /// The text of the element that is open, without that of others in it.
    mutating func content() throws(RecordingFault) -> String {
        let depth = open.count
        text = []
        while open.count >= depth {
            if case .finished = try token(keepsText: open.count == depth) { throw fault() }
        }
        guard let decoded = XMLText.decode(text[...]) else { throw fault() }
        return decoded
    }

    /// The element of this tag, which is open, with all that it holds.
    mutating func element(_ tag: XMLTag) throws(RecordingFault) -> XMLElement {
        var left = Self.maximumElements
        return try element(tag, &left)
    }

    private mutating func element(_ tag: XMLTag, _ left: inout Int) throws(RecordingFault) -> XMLElement {
        left -= 1
        guard left > 0 else { throw fault() }
        var element = XMLElement(tag: tag)
        var own: [UInt8] = []
        reading: while true {
            text = []
            let token = try token(keepsText: true)
            own += text
            switch token {
            case .start(let tag): element.children.append(try self.element(tag, &left))
            case .end: break reading
            case .finished: throw fault()
            }
        }
        guard let decoded = XMLText.decode(own[...]) else { throw fault() }
        element.text = decoded
        return element
    }

    // MARK: Tokens

    private enum Token {
        case start(XMLTag)
        case end
        case finished
    }

    /// What comes next. Text before it is added to `text`, if it is to be kept.
    private mutating func token(keepsText: Bool) throws(RecordingFault) -> Token {
        if endsNow {
            endsNow = false
            open.removeLast()
            return .end
        }
        while let byte = try take() {
            guard byte == UInt8(ascii: "<") else {
                if open.isEmpty {
                    guard XMLText.isBlank(byte) else { throw fault() }
                } else if keepsText {
                    try keep(byte)
                }
                continue
            }
            switch try peek() {
            case UInt8(ascii: "/"): return try endTag()
            case UInt8(ascii: "?"): try passOver("?>")
            case UInt8(ascii: "!"): try declaration(keepsText: keepsText)
            default: return .start(try startTag())
            }
        }
        guard hasRoot, open.isEmpty else { throw fault() }
        return .finished
    }

    private mutating func startTag() throws(RecordingFault) -> XMLTag {
        guard !(hasRoot && open.isEmpty), open.count < Self.maximumDepth else { throw fault() }
        var tag = try tagBytes()
        if tag.last == UInt8(ascii: "/") {
            tag.removeLast()
            endsNow = true
        }
        let name = tag[...].prefix { !XMLText.isBlank($0) }
        guard let first = name.first,
            first | 0x20 >= UInt8(ascii: "a") && first | 0x20 <= UInt8(ascii: "z")
                || first == UInt8(ascii: "_")
                || first >= 0x80
        else { throw fault() }
        hasRoot = true
        open.append(name)
        return XMLTag(
            name: String(decoding: XMLText.local(name), as: UTF8.self), rest: tag[name.endIndex...])
    }

    private mutating func endTag() throws(RecordingFault) -> Token {
        let tag = try tagBytes()
        let name = tag.dropFirst().prefix { !XMLText.isBlank($0) }
        guard let last = open.popLast(), name.elementsEqual(last) else { throw fault() }
        return .end
    }

    /// All bytes up to the tag's end, which may stand in quotes without being it.
    private mutating func tagBytes() throws(RecordingFault) -> [UInt8] {
        var tag: [UInt8] = []
        var quote: UInt8?
        while let byte = try take() {
            if let open = quote {
                if byte == open { quote = nil }
                if byte == UInt8(ascii: "<") { throw fault() }
            } else {
                switch byte {
                case UInt8(ascii: ">"): return tag
                case UInt8(ascii: "<"): throw fault()
                case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
                default: break
                }
            }
            guard tag.count < Self.maximumLength else { throw fault() }
            tag.append(byte)
        }
        throw fault()
    }

    /// A comment, character data or the document's type. Stands before its exclamation mark.
    private mutating func declaration(keepsText: Bool) throws(RecordingFault) {
        at += 1
        switch try peek() {
        case UInt8(ascii: "-"):
            at += 1
            guard try take() == UInt8(ascii: "-") else { throw fault() }
            try passOver("-->")
        case UInt8(ascii: "["):
            for expected in "[CDATA[".utf8 { guard try take() == expected else { throw fault() } }
            guard !open.isEmpty else { throw fault() }
            try characterData(keepsText: keepsText)
        default:
            guard !hasRoot else { throw fault() }
            try documentType()
        }
    }

    private mutating func characterData(keepsText: Bool) throws(RecordingFault) {
        var closing = 0
        while let byte = try take() {
            if byte == UInt8(ascii: ">"), closing >= 2 {
                if keepsText { text.removeLast(2) }
                return
            }
            closing = byte == UInt8(ascii: "]") ? closing + 1 : 0
            guard keepsText else { continue }
            if byte == UInt8(ascii: "&") {
                for part in "&amp;".utf8 { try keep(part) }
            } else {
                try keep(byte)
            }
        }
        throw fault()
    }

    private mutating func documentType() throws(RecordingFault) {
        var depth = 1
        var quote: UInt8?
        while let byte = try take() {
            if let open = quote {
                if byte == open { quote = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "<"):
                if try peek() == UInt8(ascii: "!") {
                    at += 1
                    if try peek() == UInt8(ascii: "-") {
                        try passOver("-->")
                        continue
                    }
                } else if try peek() == UInt8(ascii: "?") {
                    try passOver("?>")
                    continue
                }
                depth += 1
            case UInt8(ascii: ">"):
                depth -= 1
                if depth == 0 { return }
            default: break
            }
        }
        throw fault()
    }

    private mutating func passOver(_ end: StaticString) throws(RecordingFault) {
        let wanted = Array(end.description.utf8)
        var matched = 0
        while let byte = try take() {
            if byte == wanted[matched] {
                matched += 1
                if matched == wanted.count { return }
            } else if !(byte == wanted[0] && matched == wanted.count - 1 && wanted[0] == wanted[1]) {
                matched = byte == wanted[0] ? 1 : 0
            }
        }
        throw fault()
    }

    private mutating func keep(_ byte: UInt8) throws(RecordingFault) {
        guard text.count < Self.maximumLength else { throw fault() }
        text.append(byte)
    }

    // MARK: Bytes

    private mutating func peek() throws(RecordingFault) -> UInt8? {
        if at >= piece.count {
            piece = try stream.next()
            at = 0
        }
        return at < piece.count ? piece[at] : nil
    }

    private mutating func take() throws(RecordingFault) -> UInt8? {
        guard let byte = try peek() else { return nil }
        at += 1
        if byte == 10 { line += 1 }
        return byte
    }
}
