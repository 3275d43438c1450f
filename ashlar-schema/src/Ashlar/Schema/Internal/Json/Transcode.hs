{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
-- A schema is compiled once.
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Schema.Internal.Json.Transcode
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
-- What they accept 'getValue' accepts, with the same JSON (property "the same JSON at once and by
-- way of values" of the group "bytes to JSON").
module Ashlar.Schema.Internal.Json.Transcode
  ( getJsonLine,
    getJsonLineWithin,
    getJsonLineOr,
    getJsonLineByValue,
    longestLine,
    lineWithin,
  )
where

import Ashlar.Builder (Builder, char7, toLazyByteString, toStrictByteString)
import Ashlar.Codec (Get)
import Ashlar.Internal.Mem hiding (Number)
import Ashlar.Internal.Mem.Cells
import Ashlar.Schema.Internal.Costs
import Ashlar.Schema.Internal.Decode (getValue)
import Ashlar.Schema.Internal.Json.Leaves
import Ashlar.Schema.Internal.Json.Run
import Ashlar.Schema.Internal.Json.Values
import Ashlar.Schema.Internal.Scalar (quoted)
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Types
import Control.Monad (unless, when)
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Lazy as L
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Primitive.SmallArray
import qualified Data.Vector as V
import Data.Word (Word16, Word32, Word64, Word8)
import Foreign.Ptr (Ptr, plusPtr)

-- | Read a value of a schema, as a line of JSON: what 'valueToJson' writes of it, and a newline.
-- Keep the decoder for many values.
--
-- It makes no 'Value', which would take most of the time. Its errors are those of 'getValue'.
--
-- A line has 256 MiB at most. Names of fields stand in the schema once, and in a line with each
-- value, so a small input could make an endless line. A longer line fails with
-- 'Ashlar.Get.Invalid'.
--
-- >>> :set -XTypeApplications
-- >>> import Ashlar.Schema
-- >>> runGet (getJsonLine (schema @[Maybe Int])) (encode [Just 1, Nothing :: Maybe Int])
-- Right "[1,null]\n"
getJsonLine :: Schema -> Get ByteString
getJsonLine = getJsonLineWithin longestLine

-- | The most bytes of a line. (The names of a schema are repeated in it.)
longestLine :: Int
longestLine = 268435456

-- | 'getJsonLine' with another limit.
getJsonLineWithin ::
  -- | The most bytes of a line, with its newline.
  Int ->
  Schema ->
  Get ByteString
getJsonLineWithin most s = getJsonLineOr most (getJsonLineByValue most s) s

-- | The same, given how to read what is out of the ordinary: Note [Two ways to JSON].
getJsonLineOr :: Int -> Get ByteString -> Schema -> Get ByteString
getJsonLineOr most slowly s = quickly most (compiled s) slowly

-- | The same by way of a value.
getJsonLineByValue :: Int -> Schema -> Get ByteString
getJsonLineByValue most s = getValue s >>= lineWithin "JSON" most . write
  where
    write = valueToJson s

-- | The bytes of a builder and a newline. Fails if they are too many.
lineWithin ::
  -- | What they are, for the message.
  String ->
  -- | The most bytes.
  Int ->
  Builder ->
  Get ByteString
lineWithin what most b
  | L.null (L.drop (fromIntegral most) bytes) = pure (L.toStrict bytes)
  | otherwise = fail (what ++ " of more than " ++ show most ++ " bytes")
  where
    bytes = toLazyByteString (b <> char7 '\n')

compiled :: Schema -> Run
compiled s
  | fair known (costOf known (schemaRoot s)) = shapeOp "" (schemaRoot s) (literal "\n" done)
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
        optionalOp before (bracketed (mayBeNull shapes inner) (\b -> beside b inner))
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
      | fairWith known 1 (costOf known shape) = shapeOp before shape
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
      | fairWith known (tagSize count) (costOfAll known (map fieldShape (constructorFields c))) =
        Boxed (fieldsOp (B.concat ["{", name, ":"]) c (literal "}" done))
      | otherwise = Boxed (unusual done)
      where
        name = toStrictByteString (quoted (constructorName c))

    repeated :: ByteString -> Length -> Int -> Shape -> Maybe Order -> Op
    repeated before len least inner order
      | isSmall [inner] = unusual
      | otherwise = elementsOp (before <> "[") len least order (shapeOp "" inner done) "]"

    entriesOp :: ByteString -> Length -> Shape -> Shape -> Order -> Op
    entriesOp before len k v order
      | isSmall [k, v] = unusual
      | otherwise = elementsOp (before <> open) len 0 (Just order) entry close
      where
        -- (Chosen as values: GHC 9.10 panics where the whole operation is, and its lambdas are not
        -- eta-expanded.)
        (open, entry, close)
          | isName shapes k = ("{", shapeOp "" k (shapeOp ":" v done), "}")
          | otherwise = ("[", shapeOp "[" k (shapeOp "," v (literal "]" done)), "]")

    -- Has an element of these shapes no bytes, or too few for its parts? (Inlined, it makes GHC
    -- 9.10 panic, as above.)
    isSmall :: [Shape] -> Bool
    isSmall elementShapes =
      costBytes (costOfAll known elementShapes) == 0 || not (fairTogether known elementShapes)
    {-# NOINLINE isSmall #-}

    orderOf k
      | isOrdered unordered k = orderOfKeys (bareShape shapes k)
      | otherwise = Just (\_ _ -> pure True)

    char c = toStrictByteString (char7 c)

-- | A definition.
callOp :: Boxed -> Op
callOp procedure next = \c o k -> do
  case procedure of Boxed r -> deeper r c o k
  next c o k

-- | A tag, given the number of constructors.
switch :: Int -> [Boxed] -> Run
switch !count alternatives = \c o k -> do
  p <- atHand c width
  t <- if width == 1 then fromIntegral <$> (peekHost p :: IO Word8) else tagOf <$> peekLE p
  when (t >= count) giveUp
  putPtr c cursorCell (p `plusPtr` width)
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
  putPtr c cursorCell (p `plusPtr` 1)
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

-- | Elements, or entries of a map: what is written before them, the least number, the order, what
-- is done with each, and what is written after them.
elementsOp :: ByteString -> Length -> Int -> Maybe Order -> Run -> ByteString -> Op
elementsOp !before len least order element close next = \c o k -> do
  n <- countOf len c
  when (n < least) giveUp
  literally before o k
  let go !i before'
        | i >= n = pure ()
        | otherwise = do
          p <- getPtr c cursorCell
          when (i > 0) (comma o k)
          element c o k
          case order of
            Just less | i > 0 -> less before' p >>= \ok -> unless ok giveUp
            _ -> pure ()
          go (i + 1) p
  getPtr c cursorCell >>= go 0
  literally close o k
  next c o k
