/// A streaming XML reader. The caller descends element by element. Only one piece of the file is in memory at a time.
///
/// Depth and the length of a tag or text are limited. Document types are skipped: entities that they declare are
/// unknown, and external resources are never fetched. The file must be UTF-8.
struct XMLReader {
    static let maximumDepth = 64
    /// The maximum number of bytes of one tag, and of one text that the caller reads.
    static let maximumLength = 1 << 20
    /// The maximum number of elements in an element that is read completely.
    static let maximumElements = 1000

    private let stream: ByteStream
    private var piece: [UInt8] = []
    /// The index of the next byte in `piece`.
    private var offset = 0
    private var line = 1
    /// The names of the open elements, with their prefixes.
    private var open: [ArraySlice<UInt8>] = []
    /// Whether the last tag was self-closing, so that its end is the next token.
    private var isSelfClosed = false
    private var hasRoot = false
    private var text: [UInt8] = []

    init(_ source: RecordingSource) throws(RecordingFault) {
        stream = try source.open()
        // Some exporters write a byte order mark.
        for byte in [0xEF, 0xBB, 0xBF] as [UInt8] {
            if try peek() == byte { offset += 1 }
        }
    }

    /// The error for invalid XML at the current line.
    func fault() -> RecordingFault {
        RecordingFault("line \(line): this is not a valid XML file")
    }

    /// The error for XML that exceeds a limit, at the current line.
    private func limitFault(_ what: String) -> RecordingFault {
        RecordingFault("line \(line): \(what)")
    }

    /// The next child of the open element, or the root element; nil at the end. Each child must be consumed by `child`
    /// until nil, `element`, `content` or `skip`, before the next one is read.
    mutating func child() throws(RecordingFault) -> XMLTag? {
        switch try token(keepsText: false) {
        case .start(let tag): tag
        case .end, .finished: nil
        }
    }

    /// Skips the rest of the open element.
    mutating func skip() throws(RecordingFault) {
        let depth = open.count
        while open.count >= depth {
            if case .finished = try token(keepsText: false) { throw fault() }
        }
    }

    /// The text of the open element, without the text of its children.
    mutating func content() throws(RecordingFault) -> String {
        let depth = open.count
        text = []
        while open.count >= depth {
            if case .finished = try token(keepsText: open.count == depth) { throw fault() }
        }
        guard let decoded = XMLText.decode(text[...]) else { throw fault() }
        return decoded
    }

    /// The complete element of this tag, which must be open.
    mutating func element(_ tag: XMLTag) throws(RecordingFault) -> XMLElement {
        var remaining = Self.maximumElements
        return try element(tag, &remaining)
    }

    private mutating func element(_ tag: XMLTag, _ remaining: inout Int) throws(RecordingFault) -> XMLElement
    {
        remaining -= 1
        guard remaining > 0 else {
            throw limitFault("an element has more than \(Self.maximumElements) elements")
        }
        var element = XMLElement(tag: tag)
        var bytes: [UInt8] = []
        reading: while true {
            text = []
            let token = try token(keepsText: true)
            bytes += text
            switch token {
            case .start(let tag): element.children.append(try self.element(tag, &remaining))
            case .end: break reading
            case .finished: throw fault()
            }
        }
        guard let decoded = XMLText.decode(bytes[...]) else { throw fault() }
        element.text = decoded
        return element
    }

    // MARK: Tokens

    private enum Token {
        case start(XMLTag)
        case end
        case finished
    }

    /// The next token. If `keepsText` is true, text before it is appended to `text`.
    private mutating func token(keepsText: Bool) throws(RecordingFault) -> Token {
        if isSelfClosed {
            isSelfClosed = false
            open.removeLast()
            return .end
        }
        while let byte = try take() {
            guard byte == UInt8(ascii: "<") else {
                if open.isEmpty {
                    // Some exporters write blanks before the declaration, which XML forbids.
                    guard XMLText.isBlank(byte) else { throw fault() }
                } else if keepsText {
                    try keep(byte)
                }
                continue
            }
            switch try peek() {
            case UInt8(ascii: "/"): return try endTag()
            case UInt8(ascii: "?"): try skipThrough("?>")
            case UInt8(ascii: "!"): try declaration(keepsText: keepsText)
            default: return .start(try startTag())
            }
        }
        guard hasRoot, open.isEmpty else { throw fault() }
        return .finished
    }

    private mutating func startTag() throws(RecordingFault) -> XMLTag {
        guard !(hasRoot && open.isEmpty) else { throw fault() }
        guard open.count < Self.maximumDepth else {
            throw limitFault("elements are nested more than \(Self.maximumDepth) levels deep")
        }
        var tag = try tagBytes()
        if tag.last == UInt8(ascii: "/") {
            tag.removeLast()
            isSelfClosed = true
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

    /// All bytes up to the `>` of the tag. A `>` in quotes does not end it.
    private mutating func tagBytes() throws(RecordingFault) -> [UInt8] {
        var tag: [UInt8] = []
        var quote: UInt8?
        while let byte = try take() {
            if let openQuote = quote {
                if byte == openQuote { quote = nil }
                if byte == UInt8(ascii: "<") { throw fault() }
            } else {
                switch byte {
                case UInt8(ascii: ">"): return tag
                case UInt8(ascii: "<"): throw fault()
                case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
                default: break
                }
            }
            guard tag.count < Self.maximumLength else { throw limitFault("a tag is longer than 1 MiB") }
            tag.append(byte)
        }
        throw fault()
    }

    /// Reads a comment, a CDATA section or a document type. The next byte is the exclamation mark.
    private mutating func declaration(keepsText: Bool) throws(RecordingFault) {
        offset += 1
        switch try peek() {
        case UInt8(ascii: "-"):
            offset += 1
            guard try take() == UInt8(ascii: "-") else { throw fault() }
            try skipThrough("-->")
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

    /// Skips a document type. Some exports of Apple Health contain declarations with a `>` too many or too few.
    /// Therefore an internal subset ends at the first `]` and `>` outside quotes, regardless of the nesting of its
    /// declarations.
    private mutating func documentType() throws(RecordingFault) {
        var isInSubset = false
        var isClosing = false
        var quote: UInt8?
        while let byte = try take() {
            if let openQuote = quote {
                if byte == openQuote { quote = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "["): isInSubset = true
            case UInt8(ascii: "]"): isClosing = true
            case UInt8(ascii: "<"): try skipCommentOrInstruction()
            case UInt8(ascii: ">"):
                if !isInSubset || isClosing { return }
            default: break
            }
            if byte != UInt8(ascii: "]"), !XMLText.isBlank(byte) { isClosing = false }
        }
        throw fault()
    }

    /// Skips the rest of a comment or a processing instruction in a document type. The `<` was read.
    private mutating func skipCommentOrInstruction() throws(RecordingFault) {
        if try peek() == UInt8(ascii: "?") { return try skipThrough("?>") }
        guard try peek() == UInt8(ascii: "!") else { return }
        offset += 1
        if try peek() == UInt8(ascii: "-") { try skipThrough("-->") }
    }

    private mutating func skipThrough(_ end: StaticString) throws(RecordingFault) {
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
        guard text.count < Self.maximumLength else { throw limitFault("a text is longer than 1 MiB") }
        text.append(byte)
    }

    // MARK: Bytes

    private mutating func peek() throws(RecordingFault) -> UInt8? {
        if offset >= piece.count {
            piece = try stream.next()
            offset = 0
        }
        return offset < piece.count ? piece[offset] : nil
    }

    private mutating func take() throws(RecordingFault) -> UInt8? {
        guard let byte = try peek() else { return nil }
        offset += 1
        if byte == 10 { line += 1 }
        return byte
    }
}
