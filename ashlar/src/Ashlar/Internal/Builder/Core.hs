{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- |
-- Module      : Ashlar.Internal.Builder.Core
-- Description : The type of builders, appending, and reserving room
--
-- What every builder is made of. A builder is an action that moves a cursor
-- through a buffer, and asks its sink for another buffer where one is full.
--
-- Invariants, named so that tests and comments can point at them:
--
-- [INV-B1] A builder writes only between the cursor and the end of the buffer,
--   and leaves the cursor in that range.
-- [INV-B2] In @'ensure' n write@, @write@ is called with at least @n@ bytes
--   free, and writes at most @n@.
-- [INV-B3] A buffer that a sink has handed out is never written again.
-- [INV-B4] The bytes do not depend on the sink, on the sizes of its buffers,
--   or on where they end.
module Ashlar.Internal.Builder.Core
  ( -- * Builders
    Builder (..),
    action,
    runOn,
    append,
    empty,

    -- * Reserving room
    ensure,
    ensureShared,
    reserve,
    reserveFor,
    grow,

    -- * What a builder asks of its sink
    Sink (..),
    Request (..),
    Space (..),
    SinkRefused (..),
    ask,
    spaceLeft,

    -- * The two cells
    cursorCell,
    endCell,
    runBuilderWith,
    runBuilderSaving,
  )
where

import Ashlar.Internal.Coroutine.Exception (passOn)
import Ashlar.Internal.Mem.Cells
import Control.Exception (Exception (..), IOException, SomeAsyncException (..), catch, throwIO, try)
import Data.ByteString (ByteString)
import qualified Data.List.NonEmpty as NonEmpty
import qualified Data.Semigroup as Semigroup
import Data.Word (Word8)
import Foreign.Ptr (minusPtr)
import GHC.Exts (Int (I#), Ptr (Ptr), RealWorld, State#, int2Word#, isTrue#, leWord#, newByteArray#, (+#))
import GHC.IO (IO (..), unIO)

-- | A sequence of bytes in the making, with append in constant time.
--
-- A builder is an action, not a data structure: it writes its bytes each time
-- it is run, into whatever sink it is run with.
--
-- @since 0.1.0.0
newtype Builder = Builder (Cells -> Sink -> State# RealWorld -> State# RealWorld)

-- | Where a builder's bytes go: a function that answers the three requests
-- of 'Request'. It is given the address up to which the open buffer has been
-- written, and returns the space that may be written next.
--
-- @since 0.1.0.0
newtype Sink = Sink (Request -> Ptr Word8 -> IO Space)

-- | What a builder asks when it cannot go on by itself.
--
-- @since 0.1.0.0
data Request
  = -- | There is too little room. At least the first number of bytes is needed:
    -- it is positive, and at most 256, unless a single primitive, 'ensure' or
    -- 'Ashlar.Codec.Fixed.Fixed' needs more. The second, not less, says how many bytes
    -- are likely to come: a sink may allocate accordingly, or ignore it. What was
    -- written so far must be kept.
    More !Int !Int
  | -- | These bytes come next, and are too many to be worth copying. A sink
    -- that has nothing better to do with them may copy them.
    Insert !ByteString
  | -- | What was written so far should leave now.
    Flush

-- | The part of a buffer that may be written: its first address, and the
-- address behind its last byte.
--
-- @since 0.1.0.0
data Space = Space !(Ptr Word8) !(Ptr Word8)

-- | Bytes that fit into a space.
--
-- @since 0.1.0.0
spaceLeft :: Space -> Int
spaceLeft (Space from to) = to `minusPtr` from
{-# INLINE spaceLeft #-}

-- | A sink gave less room than it was asked for.
--
-- @since 0.1.0.0
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
      ++ " bytes of room and gave "
      ++ show given

-- | The cell that holds the address at which the next byte will be written.
cursorCell :: Cell (Ptr Word8)
cursorCell = Cell 0
{-# INLINE cursorCell #-}

-- | The cell that holds the address behind the last byte of the buffer.
endCell :: Cell (Ptr Word8)
endCell = Cell 1
{-# INLINE endCell #-}

-- | A builder from an action on the two cells and the sink. The action must
-- keep INV-B1, and do nothing that could be observed but write its bytes.
action :: (Cells -> Sink -> IO ()) -> Builder
action f = Builder (\c k s -> case f c k of IO m -> case m s of (# s', _ #) -> s')
{-# INLINE action #-}

-- | Run a builder as a part of another's action.
runOn :: Builder -> Cells -> Sink -> IO ()
runOn (Builder f) c k = IO (\s -> (# f c k s, () #))
{-# INLINE runOn #-}

-- | Write nothing.
empty :: Builder
empty = Builder (\_ _ s -> s)
{-# INLINE [0] empty #-}

-- | One builder after another.
append :: Builder -> Builder -> Builder
append (Builder f) (Builder g) = Builder (\c k s -> g c k (f c k s))
{-# INLINE [0] append #-}

-- | Reserve @n@ bytes, then write at most so many.
--
-- The function is given the address to write at, with at least @n@ bytes free
-- behind it, and returns the address behind the last byte it wrote. Nothing checks
-- that it writes no more; if it does, memory is corrupted. @n@ must not be negative. It
-- should be small and a constant: then neighbours are merged into one reservation.
--
-- @since 0.1.0.0
ensure :: Int -> (Ptr Word8 -> IO (Ptr Word8)) -> Builder
ensure n write = action $ \c k -> do
  p <- reserve c k n
  p' <- write p
  putPtr c cursorCell p'
{-# INLINE [0] ensure #-}

-- | 'ensure' for writes that are long, and merged with no others: their code is not
-- copied. (The compiler copies what is behind a check into both of its branches if it
-- is not much; a derived instance is full of such copies.)
ensureShared :: Int -> (Ptr Word8 -> IO (Ptr Word8)) -> Builder
ensureShared n write = Builder $ \c k s0 ->
  let write# a s = case unIO (write (Ptr a) >>= putPtr c cursorCell) s of (# s', _ #) -> s'
      {-# NOINLINE write# #-}
   in case unIO (getPtr c cursorCell) s0 of
        (# s1, p@(Ptr a) #) -> case unIO (getPtr c endCell) s1 of
          (# s2, e #)
            | e `minusPtr` p >= n -> write# a s2
            | otherwise -> case unIO (grow c k n n >> getPtr c cursorCell) s2 of
              (# s3, Ptr a' #) -> write# a' s3
{-# INLINE ensureShared #-}

-- Note [Fusing reservations]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Adjacent writes of bounded size need one check of the free space, not one each. Rewrite
-- rules turn appends to the right and merge reservations that meet: @ensure m f <> ensure n g@,
-- and @ensure m f <> (ensure n g <> rest)@, the form that a chain has where something of
-- unknown size follows. So @word8 <> word32LE <> byteString <> word64LE <> word8@ has two checks.
--
-- 1. A rule sees 'ensure' only if the primitive has been unfolded to it and 'ensure' itself has
--    not. So each primitive is @INLINE [0]@ and has a rule, active until then, that states its
--    equation: Note [Why primitives have rules].
-- 2. The rules are stated for 'append', not for @<>@: a rule on a class method fires or not
--    depending on when its instance is resolved.
-- 3. The sum of two sizes may overflow. It is compared as an unsigned number, and such a pair is
--    not merged. (Test "sizes that overflow are not merged".)
-- 4. The numbers are literals, so the compiler decides the comparison with 256, and one of two
--    rules rewrites 'fused'. If 'fused' were unfolded to a conditional, it would name its writes
--    twice, and the bindings around them would hide the result from the next rule. The operators
--    of 'Int' are unfolded too late, so these are primitive operations. Without a limit a chain of
--    a thousand writes would reserve 8 KB at once and leave a small buffer unfilled.
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
-- * @word8 x = scalar P.word8 x@ with plain INLINE. GHC does not inline a call in an
--   uninteresting context if the unfolding is larger than the call. Of five adjacent writes none
--   fuse.
-- * @word8 = scalar P.word8@ with plain INLINE, and 'ensure' CONLIKE. The call is over-saturated,
--   so it is always inlined. But inlining binds its arguments with @let@ where a rule substitutes
--   them, the user's module eta-expands such a right-hand side, and no rule sees 'ensure' below the
--   lambda: @(<> word16LE 3) . word8@ has two checks.
-- * The same, with a rule for @scalar@ only. All inspection tests of that time pass. But an INLINE
--   name of arity 0 is unfolded where it stands alone, too. So in @instance Encode Word8 where
--   encode = word8@ the method is no longer another name for @word8@, and calls of it do
--   not fuse. (Inspection test "byMethods".)
--
-- A rule has none of these conditions: it fires on @word8 x@ in any context, and leaves @word8@
-- alone.

-- | Two writes in one reservation, if the first argument says so.
fused :: Bool -> Int -> Int -> (Ptr Word8 -> IO (Ptr Word8)) -> (Ptr Word8 -> IO (Ptr Word8)) -> Builder
fused fits m n f g
  | fits = ensure (m + n) (\p -> f p >>= g)
  | otherwise = separate (ensure m f) (ensure n g)
{-# INLINE [0] fused #-}

-- | 'append', with no rules attached: a pair that must not be merged would be
-- rewritten for ever.
separate :: Builder -> Builder -> Builder
separate (Builder f) (Builder g) = Builder (\c k s -> g c k (f c k s))
{-# INLINE [0] separate #-}

{-# RULES
"append/right" [~0] forall a b c. append (append a b) c = append a (append b c)
"append/empty-left" [~0] forall b. append empty b = b
"append/empty-right" [~0] forall b. append b empty = b
"ensure/ensure" [~0] forall m f n g.
  append (ensure (I# m) f) (ensure (I# n) g) =
    fused (isTrue# (int2Word# (m +# n) `leWord#` 256##)) (I# m) (I# n) f g
"ensure/ensure/rest" [~0] forall m f n g rest.
  append (ensure (I# m) f) (append (ensure (I# n) g) rest) =
    append (fused (isTrue# (int2Word# (m +# n) `leWord#` 256##)) (I# m) (I# n) f g) rest
"fused/fits" [~0] forall m n f g. fused True (I# m) (I# n) f g = ensure (I# (m +# n)) (\p -> f p >>= g)
"fused/too-large" [~0] forall m n f g. fused False m n f g = separate (ensure m f) (ensure n g)
  #-}

-- | Make sure that at least @n@ bytes are free at the cursor, and return it.
--
-- Everything but the comparison is one call out of line. Both branches join again; but code
-- behind it that is short is copied into both ('ensureShared').
reserve :: Cells -> Sink -> Int -> IO (Ptr Word8)
reserve c k n = reserveFor c k n n
{-# INLINE reserve #-}

-- | 'reserve' the first number of bytes, where the second (not less) is likely to be written.
reserveFor :: Cells -> Sink -> Int -> Int -> IO (Ptr Word8)
reserveFor c k n wanted = do
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  if e `minusPtr` p >= n then pure p else grow c k n wanted >> getPtr c cursorCell
{-# INLINE reserveFor #-}

-- | Ask for room for @n@ bytes (positive), where @wanted@ (not less) are likely to be written.
grow :: Cells -> Sink -> Int -> Int -> IO ()
grow c k n wanted = do
  ask c k (More n wanted)
  p <- getPtr c cursorCell
  e <- getPtr c endCell
  let given = e `minusPtr` p
  if given >= n then pure () else throwIO (SinkRefused n given)
{-# NOINLINE grow #-}

-- | Ask the sink, and go on in the space it returns.
ask :: Cells -> Sink -> Request -> IO ()
ask c (Sink answer) request = do
  p <- getPtr c cursorCell
  Space p' e' <- answer request p
  putPtr c cursorCell p'
  putPtr c endCell e'

-- | Run a builder from a first space on, and return the address behind the
-- last byte written into the space that was open at the end.
--
-- The memory of every space must stay alive until the sink is asked for the
-- next one, and the last until this action has returned.
--
-- @since 0.1.0.0
runBuilderWith :: Sink -> Space -> Builder -> IO (Ptr Word8)
runBuilderWith k (Space from to) (Builder f) = withCells (cellsUpTo endCell) $ \c -> do
  putPtr c cursorCell from
  putPtr c endCell to
  IO (\s -> (# f c k s, () #))
  getPtr c cursorCell
{-# INLINE runBuilderWith #-}

-- | 'runBuilderWith' with something to be done if a value in the builder throws: the
-- action is given the address up to which the open buffer has been written. (If it
-- fails itself, the exception is that of the value.)
--
-- For runs in 'IO' only. One in a pure value that is interrupted by an asynchronous
-- exception is frozen and can be taken up again, but not from under a handler
-- (Note [Exceptions that are not ours]).
runBuilderSaving :: (Ptr Word8 -> IO ()) -> Sink -> Space -> Builder -> IO (Ptr Word8)
runBuilderSaving save k (Space from to) b = withCells (cellsUpTo endCell) $ \c -> do
  putPtr c cursorCell from
  putPtr c endCell to
  result <- try (runOn b c k)
  p <- getPtr c cursorCell
  case result of
    Right () -> pure p
    Left e -> case fromException e of
      Just (SomeAsyncException _) -> passOn e (throwIO e) (throwIO e)
      Nothing -> (save p `catch` lessUrgent) >> throwIO e
  where
    lessUrgent :: IOException -> IO ()
    lessUrgent _ = pure ()

-- | '<>' is append, in constant time.
--
-- 'Semigroup.stimes' is a loop: it takes no memory for any number of rounds, where the
-- default makes a chain of builders. @stimes 0@ is 'mempty'; a negative number is an
-- error. 'Semigroup.sconcat' and 'mconcat' are folds to the right: the list is forced as
-- the output gets there, and may be infinite.
instance Semigroup Builder where
  (<>) = append
  {-# INLINE (<>) #-}
  sconcat = mconcat . NonEmpty.toList
  {-# INLINE sconcat #-}
  stimes n b
    | n < 0 = errorWithoutStackTrace "Ashlar.Builder: stimes of a negative number"
    | toInteger n <= toInteger (maxBound :: Int) = times (fromIntegral n) b
    | otherwise = times maxBound b `append` Semigroup.stimes (n - fromIntegral (maxBound :: Int)) b

-- | A builder so many times (not negative): a loop that allocates nothing, where doubling
-- ('Semigroup.stimesMonoid') makes a chain of builders, each of which runs the next twice.
times :: Int -> Builder -> Builder
times n (Builder f) =
  Builder $ \c k ->
    let rounds 0 s = s
        rounds i s = rounds (i - 1 :: Int) (f c k s)
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
