{-# LANGUAGE BangPatterns #-}
-- A program is compiled once.
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Compile
-- Description : Programs as code
--
-- Each step becomes a closure that has all that is known beforehand, and the closure of what comes
-- after it. Steps of constant size that stand side by side become a block: one check of the input,
-- one of the output, and a loop over a table of numbers.
module Ashlar.Schema.Internal.Evolution.Compile
  ( Run,
    compiled,
  )
where

import Ashlar.Internal.Codec.Length (chargeEmpties)
import Ashlar.Internal.Get.Budget (nested)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Env
import Ashlar.Internal.Get.Path (Names (Nameless))
import Ashlar.Internal.Get.Refuse (invalid, invalidAt)
import Ashlar.Internal.Mem (copyRange, peekHost, peekLE, pokeLE, withBytesQuick)
import Ashlar.Internal.Mem.Cells
import Ashlar.Schema.Internal.Evolution.Extent
import Ashlar.Schema.Internal.Evolution.Inner
import Ashlar.Schema.Internal.Evolution.Leaves (bounded)
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Evolution.Output
import Ashlar.Schema.Internal.Types (Length (..), numberSize)
import Control.Monad (when)
import Data.Bits (unsafeShiftR, (.&.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import Data.IORef
import Data.Int (Int16, Int32, Int64, Int8)
import qualified Data.IntMap.Lazy as Lazy
import qualified Data.IntMap.Strict as IM
import qualified Data.List as List
import Data.Maybe (isJust)
import Data.Primitive.PrimArray
import Data.Primitive.SmallArray
import Data.Word (Word16, Word32, Word8)
import Foreign.Ptr (Ptr, minusPtr, plusPtr)
import GHC.Float (float2Double)
import GHC.IO (unIO)

-- | Read from the cursor, and write to the output.
type Run = Cells -> Env -> Out -> IO ()

-- In a box, for arrays.
newtype Boxed = Boxed Run

-- | A program as one action.
compiled :: Program -> Run
compiled (Program main procedures) = steps table main done
  where
    least = leastReads procedures
    table = Table least (Lazy.map (\ops -> steps table ops done) procedures)

-- What is known of the procedures. The second is lazy, because they call each other.
data Table = Table !(IM.IntMap Int) (Lazy.IntMap Run)

done :: Run
done _ _ _ = pure ()

steps :: Table -> [Op] -> Run -> Run
steps table ops next = case span (isJust . constantRead) ops of
  ([], []) -> next
  ([], op : rest) -> one table op (steps table rest next)
  ([Copy n], rest) -> copying n (steps table rest next)
  ([Skip n], rest) -> skipping n (steps table rest next)
  ([Put bs], rest) -> putting bs (steps table rest next)
  (constants, rest) -> block (concatMap entries constants) (steps table rest next)

copying :: Int -> Run -> Run
copying !n next = \c env out -> do
  p <- need c env n
  q <- reserve True c env out n
  copyFew q p n
  advanced c (p `plusPtr` n) out (q `plusPtr` n)
  next c env out

skipping :: Int -> Run -> Run
skipping !n next = \c env out -> do
  p <- need c env n
  putPtr c cursorCell (p `plusPtr` n)
  next c env out

putting :: ByteString -> Run -> Run
putting bs next = \c env out@(Out o _ _) -> do
  q <- reserve False c env out n
  withBytesQuick bs (\p _ -> copyFew q p n)
  putPtr o outCursor (q `plusPtr` n)
  next c env out
  where
    !n = B.length bs

-- What a block does: the kind, how many bytes are read, written, and the bytes of a default.
data Entry = Entry !Int !Int !Int !ByteString

entries :: Op -> [Entry]
entries op = case op of
  Copy n -> [Entry kindCopy n n B.empty]
  Skip n -> [Entry kindSkip n 0 B.empty]
  Put bs -> [Entry kindPut 0 (B.length bs) bs]
  ToDouble -> [Entry kindDouble 4 8 B.empty]
  Widen a b ->
    [ Entry
        (kindWiden + 8 * fromEnum a + fromEnum b)
        (numberSize a)
        (numberSize b)
        B.empty
    ]
  _ -> []

kindCopy, kindSkip, kindPut, kindDouble, kindWiden :: Int
kindCopy = 0
kindSkip = 1
kindPut = 2
kindDouble = 3
kindWiden = 4

block :: [Entry] -> Run -> Run
block list next = \c env out -> do
  p <- need c env total
  q <- reserveBlock c env out
  withBytesQuick pool $ \pooled _ -> do
    let go !i
          | i >= size = pure ()
          | otherwise = do
            let from = indexPrimArray program (i + 1)
                to = indexPrimArray program (i + 2)
                n = indexPrimArray program (i + 3)
            case indexPrimArray program i of
              0 -> copyFew (q `plusPtr` to) (p `plusPtr` from) n
              2 -> copyFew (q `plusPtr` to) (pooled `plusPtr` from) n
              3 -> do
                x <- peekLE (p `plusPtr` from) :: IO Float
                pokeLE (q `plusPtr` to) (float2Double x)
              kind -> widen (kind - kindWiden) (p `plusPtr` from) (q `plusPtr` to)
            go (i + 4)
    go 0
  advanced c (p `plusPtr` total) out (q `plusPtr` totalOut)
  next c env out
  where
    -- It saturates, as each number does. (What an untrusted schema announces may not be an Int in
    -- all.) No input has as many bytes, so nothing is read then.
    !total = List.foldl' (\n (Entry _ a _ _) -> bounded (n + a)) 0 list
    !totalOut = sum [b | Entry _ _ b _ <- list]
    !pool = B.concat [bs | Entry _ _ _ bs <- list]
    !program = primArrayFromList (table 0 0 0 list) :: PrimArray Int
    !size = sizeofPrimArray program
    -- Kind, where to read, where to write, how many bytes. What is left out is not there.
    table :: Int -> Int -> Int -> [Entry] -> [Int]
    table !from !to !pooled es = case es of
      [] -> []
      Entry kind a b bs : rest
        | kind == kindSkip -> table (from + a) to pooled rest
        | kind == kindPut ->
          kind : pooled : to : b : table from (to + b) (pooled + B.length bs) rest
        | otherwise -> kind : from : to : b : table (from + a) (to + b) pooled rest
    reserveBlock c env out@(Out o _ _) = do
      p <- getPtr o outCursor
      e <- getPtr o outEnd
      if e `minusPtr` p >= totalOut
        then pure p
        else ensureFor (originIn 0 0 list) c env out totalOut >> getPtr o outCursor
    {-# INLINE reserveBlock #-}

-- The byte of the input that a byte of the output comes from.
originIn :: Int -> Int -> [Entry] -> Int -> Int
originIn !from !to es k = case es of
  [] -> from
  Entry kind a b _ : rest
    | k < to + b -> if kind == kindCopy then from + (k - to) else from
    | otherwise -> originIn (from + a) (to + b) rest k

-- A number of eight kinds becomes another one.
widen :: Int -> Ptr Word8 -> Ptr Word8 -> IO ()
widen kind p q = do
  x <- case kind `unsafeShiftR` 3 of
    0 -> fromIntegral <$> (peekLE p :: IO Word8)
    1 -> fromIntegral <$> (peekLE p :: IO Word16)
    2 -> fromIntegral <$> (peekLE p :: IO Word32)
    4 -> fromIntegral <$> (peekLE p :: IO Int8)
    5 -> fromIntegral <$> (peekLE p :: IO Int16)
    6 -> fromIntegral <$> (peekLE p :: IO Int32)
    -- (The others are not widened.)
    _ -> peekLE p :: IO Int64
  -- As many low bits as the new one has.
  case kind .&. 3 of
    0 -> pokeLE q (fromIntegral x :: Word8)
    1 -> pokeLE q (fromIntegral x :: Word16)
    2 -> pokeLE q (fromIntegral x :: Word32)
    _ -> pokeLE q x
{-# NOINLINE widen #-}

one :: Table -> Op -> Run -> Run
one table@(Table least procedures) op next = case op of
  Groups keep -> \c env out -> do
    n <- groups c env 0
    extent keep c env out n
    next c env out
  Magnitude keep signed -> \c env out -> do
    (h, n) <- leb c env "a header that does not fit"
    extent keep c env out (h + (n `unsafeShiftR` signed))
    next c env out
  Block Length64 (Just Length64) 0 width | width > 0 -> blockCopied width next
  Block from to fewest width ->
    let !written' = blockRecounted from to width
     in \c env out -> do
          (h, n) <- counted from fewest c env
          when (width > 0 && n > (maxBound - 16) `quot` width) $ tooLong c env
          written' c env out h n
          next c env out
  Each from to fewest ops ->
    let !element = steps table ops done
        !leastBytes = leastRead least ops
        !count = recounted from to
     in \c env out -> do
          (h, n) <- counted from fewest c env
          count c env out h n
          run (chargeEmpties leastBytes n) c env
          let go !i
                | i >= n = pure ()
                | otherwise = element c env out >> go (i + 1)
          go (0 :: Int)
          next c env out
  Switch name width _ alternatives ->
    let !branches = smallArrayFromList (map branch alternatives)
        !count = length alternatives
        branch alternative = case alternative of
          Refused con -> Boxed $ \c env _ -> run (invalid (refusal con)) c env
          Accepted ops -> Boxed (steps table (Skip width : ops) next)
     in if width == 0
          then \c env _ -> run (invalid (name ++ " has no values")) c env
          else \c env out -> do
            p <- need c env width
            t <-
              if width == 1
                then fromIntegral <$> (peekHost p :: IO Word8)
                else fromIntegral <$> (peekLE p :: IO Word16)
            if t < count
              then case indexSmallArray branches t of Boxed r -> r c env out
              else run (invalidAt p width (noConstructor name t)) c env
  Call deep i ->
    let procedure = Lazy.findWithDefault done i procedures
     in if deep
          then \c env out -> do
            run (nested Nameless (Get (\c' env' s -> unIO (procedure c' env' out) s))) c env
            next c env out
          else \c env out -> procedure c env out >> next c env out
  Permute list order ->
    let !runs = smallArrayFromList [Boxed (steps table ops done) | ops <- list]
        !wanted = primArrayFromList order :: PrimArray Int
     in \c env out -> permuted runs wanted c env out >> next c env out
  Through g -> \c env out -> do
    -- (Where it begins, for errors: the decoder moves on.)
    at <- position c
    bs <- run g c env
    putAll at bs c env out
    next c env out
  After inner g ->
    let !translate = compiled inner
     in \c env out -> do
          at <- position c
          bs <- translated (\c' env' out' -> translate c' env' out') g c env
          putAll at bs c env out
          next c env out
  -- No program has these: it would be one that changes nothing.
  Unreadable _ -> \c env _ -> run (invalid "a format that is not described") c env
  -- The others are steps of constant size.
  _ -> next

-- What is done with a count of so many bytes, and with what it counts.
--
-- (Functions of their own: GHC 9.0.2 panics at -O1 where a local function is chosen by a case, and
-- its lambdas are not eta-expanded.)
type Recount = Cells -> Env -> Out -> Int -> Int -> IO ()

recounted :: Length -> Maybe Length -> Recount
recounted from to = case to of
  Nothing -> \c env _ h _ -> run (skipHere h) c env
  Just other
    | other == from -> \c env out h _ -> extent True c env out h
    | otherwise -> rewriteCount other
{-# NOINLINE recounted #-}

-- (Elements of no bytes: today's decoder counts them.)
blockRecounted :: Length -> Maybe Length -> Int -> Recount
blockRecounted from to width = case to of
  Nothing -> \c env out h n -> extent False c env out (h + n * width)
  Just other
    | other == from -> \c env out h n -> extent True c env out (h + n * width)
    | otherwise -> \c env out h n -> do
      -- Nothing is written for a length before its bytes are there.
      _ <- need c env (h + n * width)
      rewriteCount other c env out h n
      extent True c env out (n * width)
{-# NOINLINE blockRecounted #-}

-- The most frequent one: a string, or elements of constant size.
blockCopied :: Int -> Run -> Run
blockCopied !width next = \c env out -> do
  p <- need c env 8
  n <- peekLE p :: IO Int64
  when (n < 0) $ run (invalidAt p 8 (negative n)) c env
  when (n > fromIntegral most) $ tooLong c env
  extent True c env out (8 + fromIntegral n * width)
  next c env out
  where
    !most = (maxBound - 16) `quot` width

tooLong :: Cells -> Env -> IO ()
tooLong = run (invalid "a length that does not fit")
{-# NOINLINE tooLong #-}

refusal :: String -> String
refusal con = "constructor " ++ con ++ ", which is no longer in use"

noConstructor :: String -> Int -> String
noConstructor name t = name ++ ": there is no constructor " ++ show t
{-# NOINLINE noConstructor #-}

-- Write bytes that were made of those from this offset on.
putAll :: Int -> ByteString -> Cells -> Env -> Out -> IO ()
putAll at bs c env out@(Out o _ _) = do
  now <- position c
  p <- getPtr o outCursor
  e <- getPtr o outEnd
  when (e `minusPtr` p < n) $ ensureFor (const (at - now)) c env out n
  q <- getPtr o outCursor
  withBytesQuick bs (\b _ -> copyRange q b n)
  putPtr o outCursor (q `plusPtr` n)
  where
    n = B.length bs

-- Note [Fields in another order]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- Groups are written in their old order and moved afterwards. To move at each level what is inside
-- would take quadratic time for a recursive type. So only ranges of up to 4,096 bytes are moved at
-- once, by way of free space. Longer ones are noted, and moved in one pass at the end.
permuted :: SmallArray Boxed -> PrimArray Int -> Run
permuted runs wanted c env out@(Out o _ movedRef) = do
  before <- readIORef movedRef
  from <- written out
  let go !i offsets inner
        | i >= count = pure (offsets, inner)
        | otherwise = case indexSmallArray runs i of
          Boxed r -> do
            writeIORef movedRef []
            r c env out
            to <- written out
            ms <- readIORef movedRef
            go (i + 1) (to : offsets) (ms : inner)
  (reversed, inners) <- go 0 [from] []
  writeIORef movedRef before
  let bounds = primArrayFromListN (count + 1) (reverse reversed) :: PrimArray Int
      !to = indexPrimArray bounds count
      order = primArrayToList wanted
      range i = (indexPrimArray bounds i, indexPrimArray bounds (i + 1))
  target <- getInt o outTarget
  if to - from <= 4096 && all null inners && target < 0
    then do
      let n = to - from
      _ <- reserve True c env out n
      start <- getPtr o outStart
      let place !q is = case is of
            [] -> pure ()
            i : rest -> do
              let (a, b) = range i
              copyRange q (start `plusPtr` a) (b - a)
              place (q `plusPtr` (b - a)) rest
      place (start `plusPtr` to) order
      copyRange (start `plusPtr` from) (start `plusPtr` to) n
    else do
      let insides = smallArrayFromList (reverse inners)
          groupAt i = case range i of (a, b) -> (a, b, indexSmallArray insides i)
      modifyIORef' movedRef (Moved from to (map groupAt order) :)
  where
    count = sizeofSmallArray runs
