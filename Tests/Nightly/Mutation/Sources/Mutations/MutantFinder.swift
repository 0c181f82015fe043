import SwiftParser
import SwiftSyntax

extension Mutant {
    /// All mutants of one source file, ordered by position, then by operator, then by replacement.
    ///
    /// The mutants are read from the syntax tree alone, without types. Some of them therefore do not compile, for
    /// example `-` between two strings.
    ///
    /// - Parameter path: becomes the first part of each id.
    package static func all(in source: String, path: String) -> [Mutant] {
        let tree = Parser.parse(source: source)
        let finder = MutantFinder(viewMode: .sourceAccurate)
        finder.walk(tree)
        let locations = SourceLocationConverter(fileName: path, tree: tree)
        var numbers: [String: Int] = [:]
        return finder.changes.sorted().map { change in
            let prefix = "\(path)#\(change.symbol):\(change.operator.rawValue)"
            numbers[prefix, default: 0] += 1
            let location = locations.location(for: AbsolutePosition(utf8Offset: change.offset))
            return Mutant(
                id: "\(prefix):\(numbers[prefix, default: 0])", path: path, symbol: change.symbol,
                operator: change.operator, line: location.line, column: location.column,
                original: change.original, replacement: change.replacement, offset: change.offset)
        }
    }
}

/// A mutant that has no number yet.
private struct Change: Comparable {
    let offset: Int
    let `operator`: MutationOperator
    let symbol: String
    let original: String
    let replacement: String

    static func < (one: Change, other: Change) -> Bool {
        (one.offset, one.operator, one.replacement) < (other.offset, other.operator, other.replacement)
    }
}

/// Collects changes from a syntax tree. Attributes and the conditions of `#if` are skipped.
private final class MutantFinder: SyntaxVisitor {
    private(set) var changes: [Change] = []

    private func add(_ kind: MutationOperator, _ node: some SyntaxProtocol, _ replacement: String) {
        changes.append(
            Change(
                offset: node.positionAfterSkippingLeadingTrivia.utf8Offset, operator: kind,
                symbol: symbol(around: node), original: node.trimmedDescription, replacement: replacement))
    }

    override func visit(_: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
        if let elements = node.elements { walk(elements) }
        return .skipChildren
    }

    override func visit(_ node: BinaryOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        for (kind, replacement) in MutationOperator.replacements(for: node.operator.text) {
            add(kind, node, replacement)
        }
        return .skipChildren
    }

    override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        if node.operator.text == "!" { add(.not, node, node.expression.trimmedDescription) }
        return .visitChildren
    }

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        add(.boolean, node, node.literal.text == "true" ? "false" : "true")
        return .skipChildren
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        guard let value = node.representedLiteralValue, value < .max else { return .skipChildren }
        add(.integer, node, "\(value + 1)")
        if value > 0 { add(.integer, node, "\(value - 1)") }
        return .skipChildren
    }

    override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
        force(node.conditions)
        return .visitChildren
    }

    override func visit(_ node: GuardStmtSyntax) -> SyntaxVisitorContinueKind {
        force(node.conditions)
        return .visitChildren
    }

    /// Forces each condition of a list true, and the whole list false.
    private func force(_ conditions: ConditionElementListSyntax) {
        guard let first = conditions.first?.condition, !first.is(AvailabilityConditionSyntax.self) else {
            return
        }
        add(.forcedFalse, first, "false, \(first.trimmedDescription)")
        for element in conditions {
            guard let condition = element.condition.as(ExprSyntax.self),
                !condition.is(BooleanLiteralExprSyntax.self)
            else { continue }
            add(.forcedTrue, condition, "true")
        }
    }

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        if let statement = node.item.as(ExprSyntax.self), isRemovableCall(statement),
            !mayReturnItsValue(node)
        {
            add(.call, statement, "")
        }
        return .visitChildren
    }

    /// Whether the statement is a call, with or without `try` and `await`, that a program can do without. Calls that
    /// end the process, checks of programming errors and calls of other initializers are not.
    private func isRemovableCall(_ statement: ExprSyntax) -> Bool {
        if let marked = statement.as(TryExprSyntax.self) { return isRemovableCall(marked.expression) }
        if let marked = statement.as(AwaitExprSyntax.self) { return isRemovableCall(marked.expression) }
        guard let called = statement.as(FunctionCallExprSyntax.self)?.calledExpression else { return false }
        let name = called.trimmedDescription
        let kept = [
            "assert", "assertionFailure", "exit", "fatalError", "precondition", "preconditionFailure",
        ]
        return !kept.contains(name) && !name.hasSuffix(".init")
    }

    /// Whether the statement is the only one of a closure or of a function with a result, and therefore its result.
    private func mayReturnItsValue(_ item: CodeBlockItemSyntax) -> Bool {
        guard let list = item.parent?.as(CodeBlockItemListSyntax.self), list.count == 1 else { return false }
        guard let owner = list.parent else { return false }
        if owner.is(ClosureExprSyntax.self) || owner.is(AccessorBlockSyntax.self) { return true }
        guard let declaration = owner.as(CodeBlockSyntax.self)?.parent else { return false }
        if let accessor = declaration.as(AccessorDeclSyntax.self) {
            return accessor.accessorSpecifier.text == "get"
        }
        return declaration.as(FunctionDeclSyntax.self)?.signature.returnClause != nil
    }

    /// Names of the declarations around a node, from the outermost to the innermost, joined by dots.
    private func symbol(around node: some SyntaxProtocol) -> String {
        sequence(first: Syntax(node), next: \.parent).compactMap(name).reversed().joined(separator: ".")
    }

    private func name(of node: Syntax) -> String? {
        if let named = node.asProtocol((any NamedDeclSyntax).self) { return named.name.text }
        if let `extension` = node.as(ExtensionDeclSyntax.self) {
            return `extension`.extendedType.trimmedDescription
        }
        if node.is(InitializerDeclSyntax.self) { return "init" }
        if node.is(SubscriptDeclSyntax.self) { return "subscript" }
        guard let binding = node.as(PatternBindingSyntax.self), isProperty(binding) else { return nil }
        return binding.pattern.trimmedDescription
    }

    /// Whether a binding declares a member or a global variable, not a local one.
    private func isProperty(_ binding: PatternBindingSyntax) -> Bool {
        guard let holder = binding.parent?.parent?.parent else { return false }
        return holder.is(MemberBlockItemSyntax.self)
            || holder.parent?.parent?.is(SourceFileSyntax.self) == true
    }
}
