{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
-- A schema is compiled once.
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Cli.Transcode
-- Description : From bytes to JSON at once
--
-- Note [Two ways to JSON]
-- ~~~~~~~~~~~~~~~~~~~~~~~
-- 'getValue' and 'jsonOf' define what JSON there is for some bytes, and what is refused. They make
-- a 'Value', which takes most of the time. So a schema is also compiled to closures that write JSON
-- from the bytes. These give up where anything is out of the ordinary: bytes that are not at hand
-- or not valid, deep nesting, what would count as steps of the budget. Then the record is read by
-- 'getValue'. So all errors are its errors, and the closures need to know of none.
--
-- What they accept 'getValue' accepts, with the same JSON (property "bytes to JSON, at once and by
-- way of values").
module Ashlar.Cli.Transcode
  ( jsonLine,
    jsonLineOr,
    jsonLineByValue,
  )
where

import Ashlar.Builder (Builder, byteString, char7, toStrictByteString)
import qualified Ashlar.Builder.Prim as P
import Ashlar.Cli.Json
import Ashlar.Cli.Scalar (quoted)
import Ashlar.Codec (Get)
import Ashlar.Get (runGetWhole)
import Ashlar.Internal.Builder.Core (FreeSpace (..), Request (..), Sink (..), reserve, runOn)
import Ashlar.Internal.Get.Core (Get (..), step)
import qualified Ashlar.Internal.Get.Env as In
import Ashlar.Internal.Mem hiding (Number)
import Ashlar.Internal.Mem.Cells
import Ashlar.Internal.Prim.Calendar (firstDay, lastDay, writeDay)
import Ashlar.Internal.Prim.Core (runB, sizeBound)
import Ashlar.Schema
import Ashlar.Schema.Internal.Costs
import Ashlar.Schema.Internal.Types (numberSize)
import Control.Exception (Exception, throwIO, try)
import Control.Monad (unless, when)
import Data.Bits (complement, unsafeShiftL, unsafeShiftR, xor, (.&.), (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.List as List
import Data.Primitive.SmallArray
import qualified Data.Vector as V
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.ForeignPtr (ForeignPtr)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, castPtr, minusPtr, plusPtr)
import GHC.IO (IO (..))

-- | Read a value of a schema, as a line of JSON. Keep it for many values.
--
-- @since 0.1.0.0
jsonLine :: Schema -> Get ByteString
jsonLine s = jsonLineOr (jsonLineByValue s) s

-- | The same, given how to read what is out of the ordinary.
--
-- @since 0.1.0.0
jsonLineOr :: Get ByteString -> Schema -> Get ByteString
jsonLineOr slowly s = quickly (compiled s) slowly

-- | The same by way of a value.
--
-- @since 0.1.0.0
jsonLineByValue :: Schema -> Get ByteString
jsonLineByValue s = line <$> getValue s
  where
    line v = toStrictByteString (write v <> char7 '\n')
    write = jsonOf (shapesOf s) (schemaRoot s)

-- | Reads from the cursor of a decoder, and writes to the cursor of a builder.
type Run = Cells -> Cells -> Sink -> IO ()

-- | What is done before something.
type Op = Run -> Run

-- In a box, for arrays.
newtype Boxed = Boxed Run

-- | What is out of the ordinary.
data Unusual = Unusual
  deriving stock (Show)

instance Exception Unusual

giveUp :: IO a
giveUp = throwIO Unusual
{-# NOINLINE giveUp #-}

-- How deep references are nested.
depthCell :: Cell Int
depthCell = Cell 2

-- At a level there are at most some hundred levels of the decoder, which allows 100,000.
mostDeep :: Int
mostDeep = 500

quickly :: Run -> Get ByteString -> Get ByteString
quickly write (Get slowly) = step $ \c env -> do
  p <- getPtr c In.cursorCell
  found <- try (written write c)
  case found of
    Right bytes -> pure bytes
    Left Unusual -> putPtr c In.cursorCell p >> IO (slowly c env)

-- | The bytes that are written, in a buffer of their own.
written :: Run -> Cells -> IO ByteString
written write c = withCells (cellsUpTo depthCell) $ \o -> do
  buffer <- newBuffer firstBytes
  ref <- newIORef (buffer, firstBytes)
  let start = unsafeForeignPtrToPtr buffer
  putPtr o cursorCell start
  putPtr o endCell (start `plusPtr` firstBytes)
  putInt o depthCell 0
  write c o (growing ref)
  end <- getPtr o cursorCell
  (final, size) <- readIORef ref
  let from = unsafeForeignPtrToPtr final
      n = end `minusPtr` from
      bytes = sliceBuffer final from end
  -- (Not more than a quarter of the memory is kept unused.)
  if size > firstBytes && size - n > size `quot` 4 then pure $! B.copy bytes else pure bytes
  where
    firstBytes = 512

growing :: IORef (ForeignPtr Word8, Int) -> Sink
growing ref = Sink $ \request p -> case request of
  Flush -> enlarged p 0
  More n _ -> enlarged p n
  Insert bs -> do
    FreeSpace q end <- enlarged p (B.length bs)
    withBytes bs (copyRange q)
    pure (FreeSpace (q `plusPtr` B.length bs) end)
  where
    enlarged p n = do
      (buffer, size) <- readIORef ref
      let start = unsafeForeignPtrToPtr buffer
          used = p `minusPtr` start
          size' = max (used + n) (4 * size)
      larger <- newBuffer size'
      let start' = unsafeForeignPtrToPtr larger
      keepAlive buffer (keepAlive larger (copyRange start' start used))
      writeIORef ref (larger, size')
      pure (FreeSpace (start' `plusPtr` used) (start' `plusPtr` size'))
{-# NOINLINE growing #-}

cursorCell, endCell :: Cell (Ptr Word8)
cursorCell = Cell 0
endCell = Cell 1

-- | The address of the next n bytes.
atHand :: Cells -> Int -> IO (Ptr Word8)
atHand c n = do
  p <- getPtr c In.cursorCell
  e <- getPtr c In.endCell
  if e `minusPtr` p >= n then pure p else giveUp
{-# INLINE atHand #-}

-- | Read a number of bytes, and write at most a number of bytes after some that are known.
constantSize :: Int -> Int -> (Ptr Word8 -> Ptr Word8 -> IO (Ptr Word8)) -> ByteString -> Op
constantSize width bound write before next = \c o k -> do
  p <- atHand c width
  q <- reserve o k (n + bound)
  copyLiteral q before
  q' <- write p (q `plusPtr` n)
  putPtr c In.cursorCell (p `plusPtr` width)
  putPtr o cursorCell q'
  next c o k
  where
    !n = B.length before
{-# INLINE constantSize #-}

copyLiteral :: Ptr Word8 -> ByteString -> IO ()
copyLiteral q bs = withBytesQuick bs $ \p n ->
  if n <= 16 then copyShort q p n else copyRange q p n
{-# INLINE copyLiteral #-}

-- | Write bytes.
literal :: ByteString -> Op
literal bs next
  | B.null bs = next
  | otherwise = \c o k -> literally bs o k >> next c o k

literally :: ByteString -> Cells -> Sink -> IO ()
literally bs o k = do
  q <- reserve o k (B.length bs)
  copyLiteral q bs
  putPtr o cursorCell (q `plusPtr` B.length bs)
{-# INLINE literally #-}

done :: Run
done _ _ _ = pure ()

unusual :: Op
unusual _ = \_ _ _ -> giveUp

compiled :: Schema -> Run
compiled s
  | fair (costOf known (schemaRoot s)) = shapeOp "" (schemaRoot s) (literal "\n" done)
  | otherwise = unusual done
  where
    shapes = shapesOf s
    definitions = schemaDefinitions s
    known = costs s
    unordered = unorderedIn s
    table = V.map (Boxed . definitionRun) definitions

    -- With what is written before it.
    shapeOp :: ByteString -> Shape -> Op
    shapeOp before shape = case shape of
      Leaf l -> leafOp before shape l (negate (2 ^ (64 :: Int))) (2 ^ (64 :: Int))
      Between low high l -> leafOp before shape l low high
      Optional inner ->
        optionalOp before (bracketed (isOptional inner) (\b -> beside b inner))
      Tuple ss -> partsOp before '[' (map ((,) "") ss) ']'
      List len inner -> repeated before len 0 inner Nothing
      NonEmpty len inner -> repeated before len 1 inner Nothing
      Set len inner -> maybe unusual (repeated before len 0 inner . Just) (orderOf inner)
      Map len k v -> maybe unusual (entriesOp before len k v) (orderOf k)
      Reference i -> literal before . callOp (table V.! i)
      _ -> unusual
      where
        bracketed inArray op b after
          | inArray = op (b <> "[") (literal "]" after)
          | otherwise = op b after

    beside :: ByteString -> Shape -> Op
    beside before shape
      | fairWith 1 (costOf known shape) = shapeOp before shape
      | otherwise = unusual

    -- Parts with their keys, in brackets.
    partsOp :: ByteString -> Char -> [(ByteString, Shape)] -> Char -> Op
    partsOp before open parts close next = go (before <> char open) parts
      where
        go b ps = case ps of
          [] -> literal (b <> char close) next
          [(key, shape)] -> shapeOp (b <> key) shape (literal (char close) next)
          (key, shape) : rest -> shapeOp (b <> key) shape (go "," rest)

    fieldsOp :: ByteString -> Constructor -> Op
    fieldsOp before c
      | isPositional c =
        partsOp before '[' [("", fieldShape f) | f <- constructorFields c] ']'
      | otherwise =
        partsOp before '{' [(keyOf (fieldName f), fieldShape f) | f <- constructorFields c] '}'

    keyOf name = toStrictByteString (quoted name <> char7 ':')

    definitionRun :: Definition -> Run
    definitionRun d = case (definitionForm d, definitionConstructors d) of
      (Newtype, [Constructor _ _ [f]]) -> shapeOp "" (fieldShape f) done
      (Sum, cs) | not (null cs) -> switch (length cs) (map (alternative (length cs)) cs)
      (Record, [c]) -> fieldsOp "" c done
      _ -> unusual done

    alternative :: Int -> Constructor -> Boxed
    alternative count c
      | constructorRetired c = Boxed (unusual done)
      | null (constructorFields c) = Boxed (literal name done)
      | fairWith (tagSize count) (costOfAll known (map fieldShape (constructorFields c))) =
        Boxed (fieldsOp (B.concat ["{", name, ":"]) c (literal "}" done))
      | otherwise = Boxed (unusual done)
      where
        name = toStrictByteString (quoted (constructorName c))

    repeated :: ByteString -> Length -> Int -> Shape -> Maybe Order -> Op
    repeated before len least inner order
      | costBytes (costOf known inner) == 0 = unusual
      | otherwise = elementsOp before len least order (beside "" inner done)

    entriesOp :: ByteString -> Length -> Shape -> Shape -> Order -> Op
    entriesOp before len k v order
      | costBytes (costOfAll known [k, v]) == 0 = unusual
      | isText k = mapOp before "{" len order (beside "" k done) (beside ":" v done) "}"
      | otherwise = mapOp before "[" len order (beside "[" k done) (beside "," v inPair) "]"
      where
        inPair = literal "]" done

    isOptional inner = case bareShape shapes inner of
      Optional _ -> True
      _ -> False
    isText k = case bareShape shapes k of
      Leaf (Utf8 _) -> True
      Leaf Utf16 -> True
      Leaf Character -> True
      Leaf ScalarCharacter -> True
      _ -> False

    orderOf k
      | isOrdered unordered k = orderOfKeys (bareShape shapes k)
      | otherwise = Just (\_ _ -> pure True)

    char c = toStrictByteString (char7 c)

-- | A definition.
callOp :: Boxed -> Op
callOp procedure next = \c o k -> do
  depth <- getInt o depthCell
  when (depth >= mostDeep) giveUp
  putInt o depthCell (depth + 1)
  case procedure of Boxed r -> r c o k
  putInt o depthCell depth
  next c o k

-- | A tag, given the number of constructors.
switch :: Int -> [Boxed] -> Run
switch !count alternatives = \c o k -> do
  p <- atHand c width
  t <- if width == 1 then fromIntegral <$> (peekHost p :: IO Word8) else tagOf <$> peekLE p
  when (t >= count) giveUp
  putPtr c In.cursorCell (p `plusPtr` width)
  case indexSmallArray runs t of Boxed r -> r c o k
  where
    !runs = smallArrayFromList alternatives
    !width = tagSize count
    tagOf :: Word16 -> Int
    tagOf = fromIntegral

-- | Given what is done with a value, after some bytes.
optionalOp :: ByteString -> (ByteString -> Op) -> Op
optionalOp before inner next = \c o k -> do
  p <- atHand c 1
  t <- peekHost p :: IO Word8
  putPtr c In.cursorCell (p `plusPtr` 1)
  case t of
    0 -> none c o k
    1 -> some c o k
    _ -> giveUp
  where
    none = literal (before <> "null") next
    some = inner before next

-- | Is a key, at the first address, less than another one?
type Order = Ptr Word8 -> Ptr Word8 -> IO Bool

-- | Keys that are compared as they are written. 'Nothing' for others.
orderOfKeys :: Shape -> Maybe Order
orderOfKeys shape = case shape of
  Leaf (Number n) -> Just (numbers n)
  Between _ _ (Number n) -> Just (numbers n)
  Leaf (Utf8 Length64) -> Just texts
  _ -> Nothing
  where
    numbers n = case n of
      W8 -> by (peekLE :: Ptr Word8 -> IO Word8)
      W16 -> by (peekLE :: Ptr Word8 -> IO Word16)
      W32 -> by (peekLE :: Ptr Word8 -> IO Word32)
      W64 -> by (peekLE :: Ptr Word8 -> IO Word64)
      I8 -> by (peekLE :: Ptr Word8 -> IO Int8)
      I16 -> by (peekLE :: Ptr Word8 -> IO Int16)
      I32 -> by (peekLE :: Ptr Word8 -> IO Int32)
      I64 -> by (peekLE :: Ptr Word8 -> IO Int64)
    by :: Ord n => (Ptr Word8 -> IO n) -> Order
    by peek p q = (<) <$> peek p <*> peek q
    -- The order of code points is that of their bytes.
    texts p q = do
      m <- fromIntegral <$> (peekLE p :: IO Int64)
      n <- fromIntegral <$> (peekLE q :: IO Int64)
      let go !i
            | i >= n = pure False
            | i >= m = pure True
            | otherwise = do
              a <- peekHost (p `plusPtr` (8 + i)) :: IO Word8
              b <- peekHost (q `plusPtr` (8 + i))
              if a == b then go (i + 1) else pure (a < b)
      go (0 :: Int)

-- | Elements: the least number, the order, and what is done with each.
elementsOp :: ByteString -> Length -> Int -> Maybe Order -> Run -> Op
elementsOp before len least order element next = \c o k -> do
  n <- countOf len c
  when (n < least) giveUp
  literally before' o k
  let go !i before''
        | i >= n = pure ()
        | otherwise = do
          p <- getPtr c In.cursorCell
          when (i > 0) (comma o k)
          element c o k
          case order of
            Just less | i > 0 -> less before'' p >>= \ok -> unless ok giveUp
            _ -> pure ()
          go (i + 1) p
  getPtr c In.cursorCell >>= go 0
  literally "]" o k
  next c o k
  where
    !before' = before <> "["

-- | Entries of a map: what is written around them, and what is done with each key and value.
mapOp :: ByteString -> ByteString -> Length -> Order -> Run -> Run -> ByteString -> Op
mapOp before open len less key value close next = \c o k -> do
  n <- countOf len c
  literally before' o k
  let go !i before''
        | i >= n = pure ()
        | otherwise = do
          p <- getPtr c In.cursorCell
          when (i > 0) (comma o k)
          key c o k
          when (i > 0) $ less before'' p >>= \ok -> unless ok giveUp
          value c o k
          go (i + 1) p
  getPtr c In.cursorCell >>= go 0
  literally close o k
  next c o k
  where
    !before' = before <> open

comma :: Cells -> Sink -> IO ()
comma o k = do
  q <- reserve o k 1
  pokeHost q (0x2C :: Word8)
  putPtr o cursorCell (q `plusPtr` 1)
{-# INLINE comma #-}

-- | A count, after which the cursor stands.
countOf :: Length -> Cells -> IO Int
countOf len c = case len of
  Length64 -> do
    p <- atHand c 8
    n <- peekLE p :: IO Int64
    when (n < 0 || n > 0x3FFFFFFF) giveUp
    putPtr c In.cursorCell (p `plusPtr` 8)
    pure (fromIntegral n)
  LengthVarint -> do
    n <- groups c
    when (n > 0x3FFFFFFF) giveUp
    pure (fromIntegral n)
{-# INLINE countOf #-}

-- | A LEB128 number of at most 63 bits in its shortest form, after which the cursor stands.
groups :: Cells -> IO Word64
groups c = do
  p <- getPtr c In.cursorCell
  e <- getPtr c In.endCell
  let go :: Int -> Word64 -> IO Word64
      go !i !acc
        | i >= 9 || e `minusPtr` p <= i = giveUp
        | otherwise = do
          b <- peekHost (p `plusPtr` i) :: IO Word8
          let acc' = acc .|. (fromIntegral (b .&. 127) `unsafeShiftL` (7 * i))
          if b >= 128
            then go (i + 1) acc'
            else do
              when (b == 0 && i > 0) giveUp
              putPtr c In.cursorCell (p `plusPtr` (i + 1))
              pure acc'
  go 0 0

-- | A shape without parts, which is that leaf, and has these bounds if it is a whole number.
leafOp :: ByteString -> Shape -> Leaf -> Integer -> Integer -> Op
leafOp before shape l low high = case l of
  Unit -> literal (before <> "[]")
  Number n -> numberOp before n low high
  Boolean -> constantSize 1 5 truth before
  Float32 -> constantSize 4 (2 + sizeBound P.floatDec) (floating peekFloat P.floatDec) before
  Float64 -> constantSize 8 (2 + sizeBound P.doubleDec) (floating peekDouble P.doubleDec) before
  Utf8 len -> textOp before len
  BigInteger -> integerOp before shape l low high
  BigNatural -> integerOp before shape l low high
  FixedPoint _ -> integerOp before shape l low high
  Date -> integerOp before shape l low high
  Duration -> integerOp before shape l low high
  _ -> byValue before shape l
  where
    truth p q = do
      b <- peekHost p :: IO Word8
      case b of
        0 -> q `plusPtr` 5 <$ copyLiteral q "false"
        1 -> q `plusPtr` 4 <$ copyLiteral q "true"
        _ -> giveUp
    peekFloat = peekLE :: Ptr Word8 -> IO Float
    peekDouble = peekLE :: Ptr Word8 -> IO Double

floating :: RealFloat n => (Ptr Word8 -> IO n) -> P.BoundedPrim n -> Ptr Word8 -> Ptr Word8 -> IO (Ptr Word8)
floating peek prim p q = do
  x <- peek p
  if isNaN x || isInfinite x
    then do
      pokeHost q quote
      q' <- runB prim x (q `plusPtr` 1)
      q' `plusPtr` 1 <$ pokeHost q' quote
    else runB prim x q
{-# INLINE floating #-}

quote :: Word8
quote = 0x22

-- | A number of constant size, between two bounds.
numberOp :: ByteString -> Number -> Integer -> Integer -> Op
numberOp before n low high = case n of
  W8 -> signed (fmap fromIntegral . (peekLE :: Ptr Word8 -> IO Word8))
  W16 -> signed (fmap fromIntegral . (peekLE :: Ptr Word8 -> IO Word16))
  W32 -> signed (fmap fromIntegral . (peekLE :: Ptr Word8 -> IO Word32))
  W64 -> constantSize 8 20 (bounded (peekLE :: Ptr Word8 -> IO Word64) P.word64Dec low high) before
  I8 -> signed (fmap fromIntegral . (peekLE :: Ptr Word8 -> IO Int8))
  I16 -> signed (fmap fromIntegral . (peekLE :: Ptr Word8 -> IO Int16))
  I32 -> signed (fmap fromIntegral . (peekLE :: Ptr Word8 -> IO Int32))
  I64 -> signed peekLE
  where
    signed :: (Ptr Word8 -> IO Int64) -> Op
    signed peek = constantSize (numberSize n) 20 (bounded peek P.int64Dec low high) before
    {-# INLINE signed #-}

bounded ::
  (Integral n, Bounded n) =>
  (Ptr Word8 -> IO n) ->
  P.BoundedPrim n ->
  Integer ->
  Integer ->
  Ptr Word8 ->
  Ptr Word8 ->
  IO (Ptr Word8)
bounded peek prim low high
  -- No number is between them.
  | low > toInteger most || high < toInteger least = \_ _ -> giveUp
  | otherwise = \p q -> do
    x <- peek p
    if x >= low' && x <= high' then runB prim x q else giveUp
  where
    most = maxBound `asTypeOf` low'
    least = minBound `asTypeOf` low'
    !low' = fromInteger (max (toInteger least) low)
    !high' = fromInteger (min (toInteger most) high)
{-# INLINE bounded #-}

-- | Text in UTF-8. That of printable ASCII without anything to be escaped is copied.
textOp :: ByteString -> Length -> Op
textOp before len next = \c o k -> do
  start <- getPtr c In.cursorCell
  n <- countOf len c
  p <- atHand c n
  plain <- isPlain p n
  if plain
    then do
      q <- reserve o k (m + n + 1)
      copyLiteral q before'
      let to = q `plusPtr` m
      if n <= 16 then copyShort to p n else copyRange to p n
      pokeHost (to `plusPtr` n) quote
      putPtr c In.cursorCell (p `plusPtr` n)
      putPtr o cursorCell (to `plusPtr` (n + 1))
      next c o k
    else do
      putPtr c In.cursorCell start
      decoded ((p `plusPtr` n) `minusPtr` start) c o k
      next c o k
  where
    !before' = before <> "\""
    !m = B.length before'
    decoded = valueOf before (Leaf (Utf8 len)) (Utf8 len)

-- | Are all bytes printable ASCII, and none of them a quotation mark or a backslash?
isPlain :: Ptr Word8 -> Int -> IO Bool
isPlain p n = words8 0
  where
    words8 !i
      | i + 8 > n = bytes i
      | otherwise = do
        w <- peekHost (p `plusPtr` i) :: IO Word64
        if odds w == 0 then words8 (i + 8) else pure False
    bytes !i
      | i >= n = pure True
      | otherwise = do
        b <- peekHost (p `plusPtr` i) :: IO Word8
        if b >= 0x20 && b < 0x7F && b /= quote && b /= 0x5C then bytes (i + 1) else pure False
    -- The highest bits of bytes that are not plain, if no byte has it itself.
    odds w =
      0x8080808080808080
        .&. (w .|. below w 0x2020202020202020 .|. zero 0x2222222222222222 .|. zero 0x5C5C5C5C5C5C5C5C .|. zero 0x7F7F7F7F7F7F7F7F)
      where
        below a b = (a - b) .&. complement a
        zero mask = below (w `xor` mask) 0x0101010101010101
{-# INLINE isPlain #-}

-- | A number of any size, or what is written like one. Those of more than 63 bits are rare.
integerOp :: ByteString -> Shape -> Leaf -> Integer -> Integer -> Op
integerOp before shape l low high next = \c o k -> do
  start <- getPtr c In.cursorCell
  header <- fromIntegral <$> groups c
  let negative = isSigned && odd header
      n = if isSigned then header `unsafeShiftR` 1 else header :: Int
  p <- atHand c n
  magnitude <- if n <= 8 then bytesFrom p n 0 0 else pure maxBound
  -- In the shortest form.
  when (n == 0 && negative) giveUp
  when (n > 0 && magnitude `unsafeShiftR` (8 * (n - 1)) == 0) giveUp
  if magnitude > 0x7FFFFFFFFFFFFFFF
    then putPtr c In.cursorCell start >> decoded ((p `plusPtr` n) `minusPtr` start) c o k
    else do
      let x = if negative then negate (fromIntegral magnitude) else fromIntegral magnitude
      when (x < low' || x > high') giveUp
      putPtr c In.cursorCell (p `plusPtr` n)
      write before x o k
  next c o k
  where
    -- The bounds of what has 63 bits. If there is nothing between them, nor is there between these.
    !low' = if low > most then 1 else fromInteger (max low (negate most)) :: Int64
    !high' = if low > most then 0 else fromInteger (max (negate most - 1) (min high most)) :: Int64
    most = toInteger (maxBound :: Int64)
    decoded = valueOf before shape l
    write = integerWrite l
    isSigned = l /= BigNatural
    bytesFrom :: Ptr Word8 -> Int -> Int -> Word64 -> IO Word64
    bytesFrom p n !i !acc
      | i >= n = pure acc
      | otherwise = do
        b <- peekHost (p `plusPtr` i) :: IO Word8
        bytesFrom p n (i + 1) (acc .|. (fromIntegral b `unsafeShiftL` (8 * i)))

-- | Write what is written like a number, after some bytes.
type WriteNumber = ByteString -> Int64 -> Cells -> Sink -> IO ()

integerWrite :: Leaf -> WriteNumber
integerWrite l = case l of
  BigInteger -> direct 20 (runB P.int64Dec)
  BigNatural -> direct 20 (runB P.int64Dec)
  Date -> dateWrite
  Duration -> direct 40 (places 12)
  FixedPoint units
    | Just k <- List.elemIndex units (take 19 (iterate (10 *) 1)), k > 0 -> direct 40 (places k)
  _ -> numberJson l

-- (Functions of their own: GHC 9.0.2 panics where a local one is chosen by a case, and its lambdas
-- are not eta-expanded.)
numberJson :: Leaf -> WriteNumber
numberJson l before x o k = runOn (byteString before <> leafJson l (Whole l (toInteger x))) o k
{-# NOINLINE numberJson #-}

direct :: Int -> (Int64 -> Ptr Word8 -> IO (Ptr Word8)) -> WriteNumber
direct bound write before x o k = do
  q <- reserve o k (B.length before + bound)
  copyLiteral q before
  write x (q `plusPtr` B.length before) >>= putPtr o cursorCell
{-# NOINLINE direct #-}

dateWrite :: WriteNumber
dateWrite before x o k
  | x >= fromIntegral firstDay && x <= fromIntegral lastDay = direct 12 write before x o k
  | otherwise = numberJson Date before x o k
  where
    write n q = do
      pokeHost q quote
      writeDay (fromIntegral n) (q `plusPtr` 1)
      q `plusPtr` 12 <$ pokeHost (q `plusPtr` 11) quote
{-# NOINLINE dateWrite #-}

-- | Write a number with some decimal places: at most 18.
places :: Int -> Int64 -> Ptr Word8 -> IO (Ptr Word8)
places k x q = do
  q1 <- if x < 0 then q `plusPtr` 1 <$ pokeHost q (0x2D :: Word8) else pure q
  q2 <- runB P.word64Dec (magnitude `quot` units) q1
  pokeHost q2 (0x2E :: Word8)
  let go !i !r
        | i <= 0 = pure ()
        | otherwise = do
          let (r', digit) = r `quotRem` 10
          pokeHost (q2 `plusPtr` i) (fromIntegral digit + 0x30 :: Word8)
          go (i - 1) r'
  go k (magnitude `rem` units)
  pure (q2 `plusPtr` (k + 1))
  where
    !units = 10 ^ k :: Word64
    -- (That of the least number, too.)
    magnitude = if x < 0 then negate (fromIntegral x) else fromIntegral x :: Word64

-- | A leaf by way of a value, given how many bytes it has from the cursor on.
valueOf :: ByteString -> Shape -> Leaf -> Int -> Run
valueOf before shape l = \n c o k -> do
  p <- atHand c n
  bytes <- B.packCStringLen (castPtr p, n)
  case runGetWhole g bytes of
    Left _ -> giveUp
    Right v -> runOn (byteString before <> json v) o k
  putPtr c In.cursorCell (p `plusPtr` n)
  where
    !g = getValue (Schema shape V.empty)
    json = leafJson l

leafJson :: Leaf -> Value -> Builder
leafJson l = jsonOf (shapesOf (Schema (Leaf l) V.empty)) (Leaf l)

byValue :: ByteString -> Shape -> Leaf -> Op
byValue before shape l next = case l of
  Varint _ -> byGroups
  Zigzag _ -> byGroups
  Bytes len -> byCount len 1
  ByteArray len -> byCount len 1
  Utf16 -> byCount Length64 2
  -- The others have constant size.
  _ -> \c o k -> write (leastLeaf l) c o k >> next c o k
  where
    write = valueOf before shape l
    byGroups = \c o k -> do
      p <- getPtr c In.cursorCell
      e <- getPtr c In.endCell
      let go !i
            | i >= 10 || e `minusPtr` p <= i = giveUp
            | otherwise = do
              b <- peekHost (p `plusPtr` i) :: IO Word8
              if b < 128 then pure (i + 1) else go (i + 1)
      n <- go 0
      write n c o k
      next c o k
    byCount len width = \c o k -> do
      start <- getPtr c In.cursorCell
      n <- countOf len c
      p <- getPtr c In.cursorCell
      putPtr c In.cursorCell start
      write ((p `plusPtr` (n * width)) `minusPtr` start) c o k
      next c o k
