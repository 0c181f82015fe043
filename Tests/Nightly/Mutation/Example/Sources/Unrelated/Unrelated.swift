/// The tests of orders do not need this target, so the mutation tester does not build it.
package func unrelated() -> Bool { true }
