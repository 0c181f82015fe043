/// Holds a value so that `#expect` can call mutating functions of the value:
/// `#expect(machine { $0.close() } == …)`.
final class Box<Value> {
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    @discardableResult
    func callAsFunction<Result>(_ work: (inout Value) -> Result) -> Result {
        work(&value)
    }
}
