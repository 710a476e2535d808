// SPDX-License-Identifier: Apache-2.0

// The declarations of SwiftUI that the tutorial uses, by Apple's documentation. A view here draws nothing.

// MARK: Views

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

/// The stand-in of all views without a body of their own.
public protocol Primitive: View where Body == Never {}
extension Primitive {
    public var body: Never { fatalError() }
}

extension Optional: View, Primitive where Wrapped: View {
    public typealias Body = Never
}

public struct EmptyView: Primitive {
    nonisolated public init() {}
}

public struct TupleView<T>: Primitive {
    nonisolated public init() {}
}

public struct ConditionalContent<TrueContent, FalseContent>: Primitive {
    nonisolated public init() {}
}

@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> {
        TupleView()
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<TrueContent: View, FalseContent: View>(
        first: TrueContent
    ) -> ConditionalContent<TrueContent, FalseContent> {
        ConditionalContent()
    }
    public static func buildEither<TrueContent: View, FalseContent: View>(
        second: FalseContent
    ) -> ConditionalContent<TrueContent, FalseContent> {
        ConditionalContent()
    }
}

public struct Text: Primitive {
    public init<S: StringProtocol>(_ content: S) {}
}

public struct Image: Primitive {
    public init(systemName: String) {}
}

public struct Spacer: Primitive {
    nonisolated public init() {}
}

public struct ProgressView: Primitive {
    nonisolated public init() {}
}

public struct VStack<Content: View>: Primitive {
    public init(@ViewBuilder content: () -> Content) {}
}

public struct HStack<Content: View>: Primitive {
    public init(@ViewBuilder content: () -> Content) {}
}

public struct List<Content: View>: Primitive {
    public init(@ViewBuilder content: () -> Content) {}
}

public struct NavigationStack<Root: View>: Primitive {
    public init(@ViewBuilder root: () -> Root) {}
}

public struct NavigationLink<Label: View, Destination: View>: Primitive {
    public init<S: StringProtocol>(
        _ title: S, @ViewBuilder destination: () -> Destination
    ) where Label == Text {}
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: Primitive {
    public init(
        _ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) where Data.Element: Identifiable, ID == Data.Element.ID {}
}

public struct Button<Label: View>: Primitive {
    public init<S: StringProtocol>(
        _ title: S, action: @escaping @MainActor () -> Void
    ) where Label == Text {}
}

public struct TextField<Label: View>: Primitive {
    public init<S: StringProtocol>(_ title: S, text: Binding<String>) where Label == Text {}
}

extension View {
    nonisolated public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { EmptyView() }
    nonisolated public func task<T: Equatable>(
        id value: T, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { EmptyView() }
    nonisolated public func navigationTitle<S: StringProtocol>(_ title: S) -> some View {
        EmptyView()
    }
    nonisolated public func disabled(_ disabled: Bool) -> some View { EmptyView() }
    nonisolated public func padding() -> some View { EmptyView() }
    nonisolated public func badge(_ count: Int) -> some View { EmptyView() }
    nonisolated public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View {
        EmptyView()
    }
}

@MainActor @preconcurrency public protocol PrimitiveButtonStyle {}

public struct BorderlessButtonStyle: PrimitiveButtonStyle {
    public init() {}
}

extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
    public static var borderless: BorderlessButtonStyle { BorderlessButtonStyle() }
}

// MARK: State

@propertyWrapper public struct State<Value> {
    private let value: Value
    public init(wrappedValue value: Value) { self.value = value }
    public init(initialValue value: Value) { self.value = value }
    public var wrappedValue: Value {
        get { value }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { Binding(get: { value }, set: { _ in }) }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() { value = nil }
}

@propertyWrapper public struct Binding<Value> {
    private let get: () -> Value
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { self.get = get }
    public var wrappedValue: Value {
        get { get() }
        nonmutating set {}
    }
}

@propertyWrapper public struct Environment<Value> {
    private let path: KeyPath<EnvironmentValues, Value>
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { path = keyPath }
    public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
}

public struct EnvironmentValues {
    nonisolated public init() {}
    public var scenePhase: ScenePhase { .active }
}

public enum ScenePhase: Comparable, Sendable {
    case background
    case inactive
    case active
}

// MARK: App

@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

extension App {
    @MainActor @preconcurrency public static func main() {}
}

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError() }
}

extension Scene {
    nonisolated public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some Scene {
        ChangedScene()
    }
}

/// The scene that `onChange` returns.
struct ChangedScene: Scene {
    nonisolated init() {}
    var body: Never { fatalError() }
}

@resultBuilder public struct SceneBuilder {
    public static func buildExpression<Content: Scene>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}
