{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE PatternSynonyms #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Builder.Core
-- Description : The type of builders, appending, and reserving free space
--
-- A builder is an action that moves a cursor through a buffer. When the buffer is full, it asks its
-- sink for another.
--
-- Invariants, named so that tests and comments can point at them:
--
-- [INV-B1] A builder writes only between the cursor and the end of the buffer, and leaves the
--   cursor in that range.
-- [INV-B2] In @'ensure' n write@, @write@ has at least @n@ bytes of free space and writes at most
--   @n@.
-- [INV-B3] Bytes that a sink has handed out are never written again.
-- [INV-B4] The bytes do not depend on the sink, on the sizes of its buffers, or on where they end.
module Ashlar.Internal.Builder.Core
  ( -- * Builders
    Builder (..),
    action,
    runOn,
    append,
    empty,
    closed,

    -- * Reserving free space
    ensure,
    ensureAfter,
    evaluated,
    ensureShared,
    ensureApart,
    reserve,
    reserveFor,
    askMore,

    -- * What a builder asks of its sink
    Sink (..),
    Request (.., Insert),
    Following (..),
    FreeSpace (..),
    SinkRefused (..),
    ask,
    freeBytes,

    -- * The two cells
    cursorCell,
    endCell,
  )
where

import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Mem.Check
import Control.Exception (Exception (..), throwIO)
import Data.ByteString (ByteString)
import qualified Data.ByteString.Lazy as L
import Data.IORef (IORef)
import qualified Data.List.NonEmpty as NonEmpty
import qualified Data.Semigroup as Semigroup
import Data.Word (Word8)
import Foreign.Ptr (minusPtr)
import GHC.Exts
  ( Addr#,
    Int (I#),
    Int#,
    Ptr (Ptr),
    RealWorld,
    State#,
    int2Word#,
    isTrue#,
    leWord#,
    newByteArray#,
    oneShot,
    (+#),
  )
import GHC.IO (IO (..), unIO)

-- | A sequence of bytes to be written. Appending takes constant time.
--
-- A builder is an action, not a data structure: each run writes its bytes anew. GHC may assume that
-- a builder runs once, so a user's recursive loop allocates nothing. If a builder runs twice, or
-- stands twice in one output, the values in it may be computed twice, and so may the builders in
-- it. A constant string is computed once, with optimisation. Use
-- 'Ashlar.Builder.Extra.prebuilt' for other constants that many outputs contain.
--
-- So do not run a builder for its length, and then append it: parts within parts would run twice
-- for each level, which is 2^n times for n. "Ashlar.Builder.Section" writes a length before a part
-- in one run. Or run the part once, and append its bytes:
--
-- >>> :set -XOverloadedStrings
-- >>> import Ashlar.Builder
-- >>> import qualified Data.ByteString as S
-- >>> :{
-- let part body = intDec (S.length bytes) <> ":" <> byteString bytes
--       where bytes = toStrictByteString body
-- in part (part "inside" <> part "")
-- :}
-- "10:6:inside0:"
--
-- Forcing a builder runs nothing, and may not even run a condition that chooses it. To check values
-- before anything is written, force these, or the bytes of 'Ashlar.Builder.toStrictByteString'.
newtype Builder = Builder (Cells -> Sink -> State# RealWorld -> State# RealWorld)

-- | Where a builder's bytes go: a function that answers a 'Request'. Its second argument is the
-- address up to which the open buffer has been written. It returns the free space to write next.
newtype Sink = Sink (Request -> Ptr Word8 -> IO FreeSpace)

-- | What a builder asks of its sink.
data Request
  = -- | More free space is needed: at least the first number of bytes. It is positive, and more
    -- than 256 only if a single primitive, 'ensure' or 'Ashlar.Codec.Combinators.Fixed' needs more,
    -- or if a packed value takes bytes along that it has not completed: up to twice these.
    -- The second number, not less than the first, says how many bytes are likely to be written. A
    -- sink may allocate that many, or ignore it. The sink must keep what was written so far.
    More !Int !Int
  | -- | An 'Insert', and the chunks that follow the inserted one.
    Inserting !ByteString !Following
  | -- | The sink should send what was written so far.
    Flush

-- | A ByteString comes next that is too long to be worth copying. A sink that has no better use for
-- it may copy it. The sink should send what was written so far, and then the ByteString, before the
-- builder goes on: the next value may wait for an answer to them.
pattern Insert :: ByteString -> Request
pattern Insert bs <-
  Inserting bs _
  where
    Insert bs = Inserting bs NothingFollows

{-# COMPLETE More, Insert, Flush #-}

-- | The chunks of a lazy string after one that is inserted. The sink may take some of them
-- ('Ashlar.Internal.Builder.Bytes.nextChunk'), and the builder writes the others. So lazy output
-- passes on a lazy string without resuming the builder for each of its chunks.
data Following
  = NothingFollows
  | -- | The chunks that are left. Those with more bytes than the number are inserted.
    Following !Int !(IORef L.ByteString)

-- | The part of a buffer that may be written: the address of its first byte, and the address after
-- its last.
data FreeSpace = FreeSpace !(Ptr Word8) !(Ptr Word8)

-- | The number of bytes that fit.
freeBytes :: FreeSpace -> Int
freeBytes (FreeSpace from to) = to `minusPtr` from
{-# INLINE freeBytes #-}

-- | A sink gave less free space than it was asked for.
data SinkRefused = SinkRefused
  { -- | Bytes that were asked for.
    refusedNeeded :: !Int,
    -- | Bytes that the sink gave.
    refusedGiven :: !Int
  }
  deriving stock (Eq, Show)

instance Exception SinkRefused where
  displayException (SinkRefused needed given) =
    "Ashlar.Builder: the sink was asked for " ++ show needed
      ++ " bytes of free space and gave "
      ++ show given

-- | A builder from an action on the two cells and the sink. The action must keep INV-B1 and have no
-- effect but to write its bytes.
action :: (Cells -> Sink -> IO ()) -> Builder
action f =
  Builder (oneShot (\c -> oneShot (\k s -> case f c k of IO m -> case m s of (# s', _ #) -> s')))
{-# INLINE action #-}

-- | Run a builder within the action of another.
runOn :: Builder -> Cells -> Sink -> IO ()
runOn (Builder f) c k = IO (\s -> case f c k s of s' -> (# s', () #))
{-# INLINE runOn #-}

-- | Write nothing.
empty :: Builder
empty = Builder (\_ _ s -> s)
{-# INLINE [0] empty #-}

-- | One builder after another.
append :: Builder -> Builder -> Builder
append f g = closed (separate f g)
{-# NOINLINE append #-}

-- | Reserve free space, then write into it.
--
-- Nothing checks that the function writes no more than was reserved. If it does, memory is
-- corrupted. Adjacent reservations of constant size are merged.
ensure ::
  -- | The bytes to reserve: not negative. A small constant is best.
  Int ->
  -- | Write at most that many bytes at this address, and return the address after the last.
  (Ptr Word8 -> IO (Ptr Word8)) ->
  Builder
ensure n write = ensureAfter (\s -> s) n write
{-# INLINE [0] ensure #-}

-- | 'ensure' that first evaluates the values to write ('evaluated').
--
-- GHC copies a short write into both branches of the check. For a value that is not known to be
-- evaluated it would allocate a thunk before the check. (Allocation test "a user's own recursion:
-- nothing for each element".)
ensureAfter ::
  -- | Evaluates the values.
  (State# RealWorld -> State# RealWorld) ->
  Int ->
  (Ptr Word8 -> IO (Ptr Word8)) ->
  Builder
ensureAfter prepare n write = Builder . oneShot $ \c -> oneShot $ \k s0 ->
  case unIO
    (reserve c k n >>= within "INV-B2" "ensure" n write >>= putPtr c cursorCell)
    (prepare s0) of
    (# s1, _ #) -> s1
{-# INLINE [0] ensureAfter #-}

-- | Evaluate a value.
evaluated :: a -> State# RealWorld -> State# RealWorld
evaluated x s = x `seq` s
{-# INLINE evaluated #-}

-- | 'ensure' for long writes. The reservation is not merged with others, and GHC does not copy the
-- write into both branches of the check, as it does with short code. Derived instances would be
-- full of such copies.
ensureShared :: Int -> (Ptr Word8 -> IO (Ptr Word8)) -> Builder
ensureShared n write = Builder . oneShot $ \c -> oneShot $ \k s0 ->
  let write# a s = case unIO (write' (Ptr a) >>= putPtr c cursorCell) s of (# s', _ #) -> s'
      {-# NOINLINE write# #-}
   in case unIO (getPtr c cursorCell) s0 of
        (# s1, p@(Ptr a) #) -> case unIO (getPtr c endCell) s1 of
          (# s2, e #)
            | e `minusPtr` p >= n -> write# a s2
            | otherwise -> case unIO (askMore c k n n >> getPtr c cursorCell) s2 of
              (# s3, Ptr a' #) -> write# a' s3
  where
    write' = within "INV-B2" "ensureShared" n write
{-# INLINE ensureShared #-}

-- | 'ensureShared' with the check out of line.
ensureApart :: Int -> (Ptr Word8 -> IO (Ptr Word8)) -> Builder
ensureApart (I# n) write = Builder . oneShot $ \c -> oneShot $ \k s0 ->
  case reserveApart n c k s0 of
    (# s1, a #) -> case unIO (write' (Ptr a) >>= putPtr c cursorCell) s1 of (# s2, _ #) -> s2
  where
    write' = within "INV-B2" "ensureApart" (I# n) write
{-# INLINE ensureApart #-}

-- The address is unboxed in the result, or each call would allocate.
reserveApart :: Int# -> Cells -> Sink -> State# RealWorld -> (# State# RealWorld, Addr# #)
reserveApart n c k s0 = case unIO (reserve c k (I# n)) s0 of (# s1, Ptr a #) -> (# s1, a #)
{-# NOINLINE reserveApart #-}

-- Note [Fusing reservations]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Adjacent writes of bounded size need one check of the free space, not one each. Rewrite rules
-- nest appends to the right and merge adjacent reservations: @ensure m f <> ensure n g@, and
-- @ensure m f <> (ensure n g <> rest)@, the form of a chain where something of unknown size
-- follows. So @word8 <> word32LE <> byteString <> word64LE <> word8@ has two checks.
--
-- 1. The rules match 'ensureAfter'. They see it only if the primitive has been unfolded to it, and
--    'ensureAfter' itself has not been unfolded. So each primitive, and 'ensure', has a rule that
--    states its equation, and is not inlined before phase 0: Note [Why primitives have rules].
-- 2. The rules are stated for 'append', not for @<>@: a rule on a class method fires or not
--    depending on when its instance is resolved.
-- 3. The sum of two sizes may overflow. It is compared as an unsigned number, and such a pair is
--    not merged. (Test "sizes that overflow are not merged".)
-- 4. The numbers are literals, so GHC decides the comparison with 256, and one of two rules
--    rewrites 'fused'. If 'fused' were unfolded to a conditional, it would name its writes twice,
--    and the bindings around them would hide the result from the next rule. The rules compare with
--    primitive operations, because the operators of 'Int' are unfolded too late. Without a limit a
--    chain of a thousand writes would reserve 8 KB at once and leave a small buffer unfilled.
-- 5. GHC does not check that such a rule repeats its function's equation. The suites do: at -O0 no
--    rule fires, at -O2 they have fired, and both must write the bytes of the model.
-- 6. The optimisation level may change where buffers end, never the bytes (INV-B4).
--
-- The inspection tests "checks of the free space" count the checks.
--
-- Note [Why primitives have rules]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Decoders of numbers fuse with plain INLINE pragmas (Note [Rules for decoders] in
-- "Ashlar.Internal.Get.Core"). They are constants: a rule looks through the name of a constant
-- whose unfolding is CONLIKE. Primitives are functions of a value, so the rule must meet the
-- call unfolded. What was tried in place of the rules (GHC 9.0.2, -O1 and -O2, all modules
-- compiled with @-fno-do-lambda-eta-expansion@):
--
-- 1. @word8 x = scalar P.word8 x@ with plain INLINE. GHC does not inline a call in an
--    uninteresting context if the unfolding is larger than the call. Of five adjacent writes none
--    fuse.
-- 2. @word8 = scalar P.word8@ with plain INLINE, and 'ensure' CONLIKE. The call is over-saturated,
--    so it is always inlined. But inlining binds its arguments with @let@ where a rule substitutes
--    them, the user's module eta-expands such a right-hand side, and no rule sees 'ensure' below
--    the lambda: @(<> word16LE 3) . word8@ has two checks.
-- 3. The same, with a rule for @scalar@ only. All inspection tests of that time pass. But an INLINE
--    name of arity 0 is unfolded where it stands alone, too. So in @instance Encode Word8 where
--    encode = word8@ the method is no longer another name for @word8@, and calls of it do not fuse.
--    (Inspection test "byMethods".)
--
-- A rule has none of these conditions: it fires on @word8 x@ in any context, and leaves @word8@
-- alone.
--
-- These rules wait until phase 2. Before it GHC inlines a user's own name, such as
-- @own = word64LE . fromIntegral@, where it is used. With the primitive unfolded in it, that name
-- would be too large: its writes would be calls and would not fuse. On GHC 9.10.3 a loop of such
-- writes, one, two or four at a time, took three times as long. (Inspection test "byOwnName".) The
-- names of "Ashlar.Put" do not wait, because the rules for the monad need them before, nor do those
-- of "Ashlar.ByteOrder", which GHC 9.10 would unfold too late for writes to fuse.
--
-- Note [Builders run once]
-- ~~~~~~~~~~~~~~~~~~~~~~~~
-- A user's recursion such as @go i = word8 (at i) <> go (i + 1)@ is a function that returns a
-- function of the cells and the sink. GHC makes it one function of all arguments, a loop that
-- allocates nothing, only if no work between the two is repeated when the inner function is called
-- twice. Reading an element of a vector is such work. So by default the loop allocates thunks and a
-- closure for each element.
--
-- The lambdas of 'append', as rules unfold it, and of the other ways to make a builder are
-- therefore marked 'oneShot': GHC may take it that each builder runs once. Where that is not so, a
-- number that stands inside a builder is computed in each run. The bytes are the same.
-- 'Ashlar.Builder.Extra.prebuilt' is for those who want to compute them once.
--
-- A constant string must not be computed in each run: a server sends the same compressed page many
-- times. The string of a @byteString@ is the argument of 'GHC.Exts.lazy'. If it is a constant, GHC
-- floats it to the top level of the module, where it is computed once, and does not move it back.
-- 'lazy' would put a string that is in registers into memory: for those, library code has @chunk@.
--
-- The other libraries leave the choice to the user, whose loops are slow until he finds the name
-- for it (fast-builder's @rebuild@), or recompute some values and not others. (Allocation test "a
-- user's own recursion: nothing for each element". Benchmarks "own recursion". The tests "a
-- constant string is computed once" and "numbers in a builder: at most once in each run".)

-- Note [Unknown calls]
-- ~~~~~~~~~~~~~~~~~~~~
-- A program that passes @<>@ or 'Ashlar.Builder.byteString' to a function, or uses them through a
-- class, calls their compiled code. GHC compiles a function that returns a builder as one that also
-- takes the cells, the sink and the state. A call with fewer arguments makes a partial application,
-- and running the builder applies it, both in the runtime system.
--
-- So the compiled code of @<>@, 'Ashlar.Builder.byteString', and of the builders of numbers and
-- characters returns a closure ('closed'), and a rule unfolds calls of the known function. Other
-- functions, such as 'Ashlar.Builder.stringUtf8', do more work for each call, and are as GHC
-- compiles them. Forcing the arguments before the closure is made would save a little more, but no
-- builder is forced before it runs. (100 chunks of five strings take 0.6 of the time. Benchmarks
-- "builders by unknown functions". Allocation test "functions that return builders".)

-- | Hide a builder from GHC. A function that ends in 'closed' returns a closure and takes no cells.
-- Pass a lambda: anything else would be forced when the function is called. Note [Unknown calls].
closed :: Builder -> Builder
closed b = b
{-# NOINLINE closed #-}

-- | Two writes, in one reservation if they fit.
fused ::
  -- | Do they fit into one reservation?
  Bool ->
  -- | Are they few enough bytes to evaluate all values before the check? Many values would have to
  -- be kept on the stack meanwhile.
  Bool ->
  (State# RealWorld -> State# RealWorld) ->
  (State# RealWorld -> State# RealWorld) ->
  Int ->
  Int ->
  (Ptr Word8 -> IO (Ptr Word8)) ->
  (Ptr Word8 -> IO (Ptr Word8)) ->
  Builder
fused fits few d e m n f g
  | fits = ensureAfter (\s -> if few then e (d s) else s) (m + n) (\p -> f p >>= g)
  | otherwise = separate (ensureAfter d m f) (ensureAfter e n g)
{-# INLINE [0] fused #-}

-- | 'append' without rules, for a pair that is not merged with others, or not any more.
--
-- The state between the two has a name, because GHC 9.6 and later may drop an argument of a
-- function that it knows to throw, with all that computes it: @g c k (f c k s)@ wrote nothing of
-- @f@ where @g@ is @word8 (error "value")@. (Test "bytes before a value that is known to throw".)
--
-- The body is no call of another function. GHC would eta-reduce that to a partial application, and
-- then not inline it. (Allocation test "a packed tree".)
separate :: Builder -> Builder -> Builder
separate (Builder f) (Builder g) =
  Builder (oneShot (\c -> oneShot (\k s -> case f c k s of s' -> g c k s')))
{-# INLINE [0] separate #-}

-- | The same builder, which is not forced before it runs.
--
-- 'append' forces neither side before it runs, so nor may the rules that remove an empty side.
-- (Test "appending forces neither side".)
delayed :: Builder -> Builder
delayed (Builder f) = Builder (oneShot (\c -> oneShot (\k s -> f c k s)))
{-# INLINE [0] delayed #-}

-- "ensure/ensure" and "ensure/ensure/rest" share a call of 'fused' on the right-hand side. It must
-- not get a name. Tried: the reservations of four numbers then merge twice instead of three times.
{-# RULES
"append" [0] forall a b. append a b = separate a b
"append/right" [~0] forall a b c. append (append a b) c = append a (append b c)
"append/empty-left" [~0] forall b. append empty b = delayed b
"append/empty-right" [~0] forall b. append b empty = delayed b
"append/delayed-left" [~0] forall a b. append (delayed a) b = append a b
"append/delayed-right" [~0] forall a b. append a (delayed b) = append a b
"delayed/append" [~0] forall a b. delayed (append a b) = append a b
"delayed/ensure" [~0] forall d n f. delayed (ensureAfter d n f) = ensureAfter d n f
"delayed/empty" [~0] delayed empty = empty
"ensure" [~0] forall n write. ensure n write = ensureAfter (\s -> s) n write
"ensure/ensure" [~0] forall d m f e n g.
  append (ensureAfter d (I# m) f) (ensureAfter e (I# n) g) =
    fused
      (isTrue# (int2Word# (m +# n) `leWord#` 256##))
      (isTrue# (int2Word# (m +# n) `leWord#` 24##))
      d
      e
      (I# m)
      (I# n)
      f
      g
"ensure/ensure/rest" [~0] forall d m f e n g rest.
  append (ensureAfter d (I# m) f) (append (ensureAfter e (I# n) g) rest) =
    append
      ( fused
          (isTrue# (int2Word# (m +# n) `leWord#` 256##))
          (isTrue# (int2Word# (m +# n) `leWord#` 24##))
          d
          e
          (I# m)
          (I# n)
          f
          g
      )
      rest
"fused/fits" [~0] forall few d e m n f g.
  fused True few d e (I# m) (I# n) f g =
    ensureAfter (\s -> if few then e (d s) else s) (I# (m +# n)) (\p -> f p >>= g)
"fused/too-large" [~0] forall few d e m n f g.
  fused False few d e m n f g =
    separate (ensureAfter d m f) (ensureAfter e n g)
  #-}

-- | Reserve @n@ bytes at the cursor, and return it.
--
-- Only the comparison is inlined. GHC copies short code that follows into both branches:
-- 'ensureShared' prevents that.
reserve :: Cells -> Sink -> Int -> IO (Ptr Word8)
reserve c k n = reserveFor c k n n
{-# INLINE reserve #-}

-- | 'reserve' @n@ bytes, where @wanted@ bytes (@wanted@ >= @n@) are likely to be written.
reserveFor :: Cells -> Sink -> Int -> Int -> IO (Ptr Word8)
reserveFor c k n wanted = do
  check "reserved" "reserve" (0 <= n && n <= wanted) [("bytes", n), ("likely", wanted)]
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if e `minusPtr` p >= n then pure p else askMore c k n wanted >> getPtr c cursorCell
{-# INLINE reserveFor #-}

-- | Ask the sink for @n@ bytes of free space (@n@ > 0), where @wanted@ bytes (@wanted@ >= @n@) are
-- likely to be written.
askMore :: Cells -> Sink -> Int -> Int -> IO ()
askMore c k n wanted = do
  check "reserved" "askMore" (0 < n && n <= wanted) [("bytes", n), ("likely", wanted)]
  ask c k (More n wanted)
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  let given = e `minusPtr` p
  if given >= n then pure () else throwIO (SinkRefused n given)
{-# NOINLINE askMore #-}

-- | Ask the sink, and continue in the free space it returns. Strict, or a request would be a thunk.
ask :: Cells -> Sink -> Request -> IO ()
ask c (Sink answer) !request = do
  p <- getPtr c cursorCell
  FreeSpace p' e' <- answer request p
  putPtr c cursorCell p'
  putPtr c endCell e'

-- | '<>' appends, in constant time. It forces neither side before the builder runs: @mempty '<>'
-- undefined@ can be forced, at every level of optimisation.
--
-- 'Semigroup.stimes' is a loop in constant memory; the default would make a chain of builders.
-- @stimes 0@ is 'mempty', and a negative number is an error. 'Semigroup.sconcat' and 'mconcat' are
-- right folds: they force the list as the output gets there, and it may be infinite.
instance Semigroup Builder where
  (<>) = append
  {-# INLINE (<>) #-}
  sconcat = mconcat . NonEmpty.toList
  {-# INLINE sconcat #-}
  stimes n b
    | n < 0 = errorWithoutStackTrace "Ashlar.Builder: stimes of a negative number"
    | toInteger n <= toInteger (maxBound :: Int) = times (fromIntegral n) b
    | otherwise = times maxBound b `append` Semigroup.stimes (n - fromIntegral (maxBound :: Int)) b

-- | A builder @n@ times (@n@ >= 0), in a loop that allocates nothing. Doubling
-- ('Semigroup.stimesMonoid') would make a chain of builders, each of which runs the next twice.
times :: Int -> Builder -> Builder
times n (Builder f) =
  Builder $ \c k ->
    let rounds 0 s = s
        rounds i s = case f c k s of s' -> rounds (i - 1 :: Int) s'
        -- A loop that does not allocate cannot be interrupted. So something is allocated
        -- every 65,536 rounds, even if they write nothing.
        go i s
          | i <= 65536 = rounds i s
          | otherwise = case newByteArray# 8# (rounds 65536 s) of (# s', _ #) -> go (i - 65536) s'
     in go n

instance Monoid Builder where
  mempty = empty
  {-# INLINE mempty #-}
  mconcat = foldr append empty
  {-# INLINE mconcat #-}
